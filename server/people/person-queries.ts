import type { Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Returns the id of the person who signs in with this e-mail address, in upper or lower case; undefined if there is none. */
export async function findPersonIdByEmail(queryable: Queryable, email: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ person_id: string }>('select person_id from people where email = $1', [
    email.trim().toLowerCase(),
  ])
  return rows[0]?.person_id
}

/** Returns since when a person's second factor is on (null: it is off), and the number of their unused recovery codes. */
export async function readOwnSecondFactor(
  queryable: Queryable,
  personId: string,
): Promise<{ enabledAt: Date | null; recoveryCodesLeft: number }> {
  const { rows } = await queryable.query<{ totp_enabled_at: Date | null; codes_left: number }>(
    `select totp_enabled_at,
            (select count(*)::int from recovery_codes c where c.person_id = p.person_id and c.used_at is null) as codes_left
       from people p where p.person_id = $1`,
    [personId],
  )
  return { enabledAt: rows[0]?.totp_enabled_at ?? null, recoveryCodesLeft: rows[0]?.codes_left ?? 0 }
}

export type Member = {
  name: string
  email: string
  roles: Role[]
  isActive: boolean
  hasSecondFactor: boolean
  isBlocked: boolean
  /** One administrator suspended the membership; it is not active. */
  isSuspended: boolean
  lastSeenAt: Date | null
}

/** Returns a member of an application, also one whose membership has ended; undefined if the person never was one. */
export async function readMember(queryable: Queryable, applicationId: string, personId: string): Promise<Member | undefined> {
  const { rows } = await queryable.query<Member>(
    `select p.name, p.email, m.roles, m.is_active as "isActive", p.totp_enabled_at is not null as "hasSecondFactor",
            p.is_blocked as "isBlocked", m.suspended_at is not null as "isSuspended",
            g.last_seen_at as "lastSeenAt"
       from memberships m join people p using (person_id) left join person_sightings g using (application_id, person_id)
      where m.application_id = $1 and m.person_id = $2`,
    [applicationId, personId],
  )
  return rows[0]
}

/**
 * Returns the roles of an active member who is not blocked, and locks both rows until the transaction ends, so that the person keeps them
 * that long; undefined if there is no such member.
 */
export async function lockActiveMember(trx: Queryable, applicationId: string, personId: string): Promise<Role[] | undefined> {
  const { rows } = await trx.query<{ roles: Role[] }>(
    `select m.roles from memberships m join people p using (person_id)
      where m.application_id = $1 and m.person_id = $2 and m.is_active and not p.is_blocked for share of m, p`,
    [applicationId, personId],
  )
  return rows[0]?.roles
}

type ActiveMember = { personId: string; name: string; roles: Role[]; hasSecondFactor: boolean }

/** Returns the active members of an application who are not blocked, by name. */
export async function listActiveMembers(queryable: Queryable, applicationId: string): Promise<ActiveMember[]> {
  const { rows } = await queryable.query<ActiveMember>(
    `select m.person_id as "personId", p.name, m.roles, p.totp_enabled_at is not null as "hasSecondFactor"
       from memberships m join people p using (person_id)
      where m.application_id = $1 and m.is_active and not p.is_blocked order by p.name, m.person_id`,
    [applicationId],
  )
  return rows
}

/** Whether one person may have all three roles of `combinesRoles` in an application: if its settings allow it, and in a sandbox. */
export async function mayCombineRoles(queryable: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 from applications where application_id = $1 and (allows_combined_roles or exists (select from installation where mode = 'sandbox'))`,
    [applicationId],
  )
  return rowCount === 1
}

/** Whether a person is an active member of another application too, whose administrators have a say in what concerns the account. */
export async function worksElsewhere(queryable: Queryable, applicationId: string, personId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'select 1 from memberships where person_id = $1 and application_id <> $2 and is_active and cardinality(roles) > 0 limit 1',
    [personId, applicationId],
  )
  return rowCount === 1
}
