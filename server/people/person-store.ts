import type { Role } from '#lib/people/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'

type NewPerson = { personId: string; email: string; name: string; passwordHash: string }

/** Stores a new person. Returns the id of the person with this e-mail address, and whether the row is new. */
export async function insertPerson(trx: Queryable, person: NewPerson): Promise<{ personId: string; isNew: boolean }> {
  const { rowCount } = await trx.query(
    'insert into people (person_id, email, name, password_hash) values ($1, $2, $3, $4) on conflict (email) do nothing',
    [person.personId, person.email, person.name, person.passwordHash],
  )
  if (rowCount === 1) return { personId: person.personId, isNew: true }
  const { rows } = await trx.query<{ person_id: string }>('select person_id from people where email = $1', [person.email])
  const row = rows[0]
  if (!row) throw new Error('The person who holds the e-mail address is gone')
  return { personId: row.person_id, isNew: false }
}

/** Adds a member; unknown_application when there is no such application, already_member when the person is one. */
export async function insertMembership(
  trx: Queryable,
  applicationId: string,
  personId: string,
  roles: readonly Role[],
): Promise<'created' | 'unknown_application' | 'already_member'> {
  const { rowCount: known } = await trx.query('select 1 from applications where application_id = $1', [applicationId])
  if (known !== 1) return 'unknown_application'
  const { rowCount } = await trx.query(
    'insert into memberships (application_id, person_id, roles) values ($1, $2, $3) on conflict do nothing',
    [applicationId, personId, roles],
  )
  return rowCount === 1 ? 'created' : 'already_member'
}

/** Changes a membership's roles or whether it counts, which ends a suspension; false when the person is not a member. */
export async function updateMembership(
  trx: Queryable,
  applicationId: string,
  personId: string,
  change: { roles?: readonly Role[]; isActive?: boolean },
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update memberships set roles = coalesce($3, roles), is_active = coalesce($4, is_active),
            suspended_at = case when $4::boolean is null then suspended_at end, suspended_by = case when $4::boolean is null then suspended_by end
      where application_id = $1 and person_id = $2`,
    [applicationId, personId, change.roles ?? null, change.isActive ?? null],
  )
  return rowCount === 1
}

/** Suspends an active membership; false if there is none. */
export async function suspendMembership(trx: Queryable, applicationId: string, personId: string, suspendedBy: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update memberships set is_active = false, suspended_at = now(), suspended_by = $3
      where application_id = $1 and person_id = $2 and is_active`,
    [applicationId, personId, suspendedBy],
  )
  return rowCount === 1
}

/** Whether a person suspended an administrator in the last 24 hours, and nobody has lifted it. */
export async function hasSuspendedAdministrator(queryable: Queryable, applicationId: string, suspendedBy: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `select 1 from memberships
      where application_id = $1 and suspended_by = $2 and suspended_at > now() - interval '24 hours' and 'administrator' = any (roles) limit 1`,
    [applicationId, suspendedBy],
  )
  return rowCount === 1
}

/** `hasCodes`: an authenticator app is set up, so a code follows the password. */
type SignInRow = { personId: string; passwordHash: string; isBlocked: boolean; sessionEpoch: number; hasCodes: boolean }

/** Returns what a sign-in needs to know about the person with this e-mail address. */
export async function findPersonByEmail(queryable: Queryable, email: string): Promise<SignInRow | undefined> {
  const { rows } = await queryable.query<{
    person_id: string
    password_hash: string
    is_blocked: boolean
    session_epoch: number
    has_codes: boolean
  }>(
    `select person_id, password_hash, is_blocked, session_epoch, totp_enabled_at is not null as has_codes
       from people where email = $1`,
    [email],
  )
  const row = rows[0]
  return (
    row && {
      personId: row.person_id,
      passwordHash: row.password_hash,
      isBlocked: row.is_blocked,
      sessionEpoch: row.session_epoch,
      hasCodes: row.has_codes,
    }
  )
}

/** A person's password hash and e-mail address. */
export async function findPassword(
  queryable: Queryable,
  personId: string,
): Promise<{ email: string; name: string; passwordHash: string } | undefined> {
  const { rows } = await queryable.query<{ email: string; name: string; passwordHash: string }>(
    'select email, name, password_hash as "passwordHash" from people where person_id = $1',
    [personId],
  )
  return rows[0]
}

type PersonChange = {
  passwordHash?: string
  isBlocked?: boolean
  name?: string
  locale?: 'en' | 'fr'
  timeZone?: string
  endsSessions: boolean
}

/** Changes a person and, if `endsSessions`, ends all sessions. Returns the current epoch; undefined if there is no such person. */
export async function updatePerson(trx: Queryable, personId: string, change: PersonChange): Promise<number | undefined> {
  const { rows } = await trx.query<{ session_epoch: number }>(
    `update people set password_hash = coalesce($2, password_hash), is_blocked = coalesce($3, is_blocked), name = coalesce($4, name),
       locale = coalesce($5, locale), time_zone = coalesce($6, time_zone), session_epoch = session_epoch + case when $7 then 1 else 0 end
     where person_id = $1 returning session_epoch`,
    [
      personId,
      change.passwordHash ?? null,
      change.isBlocked ?? null,
      change.name ?? null,
      change.locale ?? null,
      change.timeZone ?? null,
      change.endsSessions,
    ],
  )
  return rows[0]?.session_epoch
}

/** Whose password a link is for. */
export type PasswordReset = { personId: string; email: string; name: string; isExpired: boolean }

/** Stores the digest of a link by which a person chooses a new password, in place of an earlier one. */
export async function upsertPasswordReset(trx: Queryable, personId: string, tokenHash: Buffer): Promise<void> {
  await trx.query(
    `insert into password_resets (person_id, token_hash, expires_at) values ($1, $2, now() + interval '24 hours')
       on conflict (person_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
    [personId, tokenHash],
  )
}

export async function readPasswordReset(queryable: Queryable, tokenHash: Buffer): Promise<PasswordReset | undefined> {
  const { rows } = await queryable.query<PasswordReset>(
    `select p.person_id as "personId", p.email, p.name, r.expires_at <= now() as "isExpired"
       from password_resets r join people p on p.person_id = r.person_id where r.token_hash = $1 and not p.is_blocked`,
    [tokenHash],
  )
  return rows[0]
}

/** Ends a link, or every link of a person. Returns false if there was none. */
export async function deletePasswordReset(trx: Queryable, personId: string, tokenHash?: Buffer): Promise<boolean> {
  const { rowCount } = await trx.query('delete from password_resets where person_id = $1 and ($2::bytea is null or token_hash = $2)', [
    personId,
    tokenHash ?? null,
  ])
  return rowCount === 1
}

type ActorRow = {
  personId: string
  name: string
  email: string
  locale: 'en' | 'fr' | null
  timeZone: string | null
  isBlocked: boolean
  sessionEpoch: number
  hasSecondFactor: boolean
  roles: Role[] | null
  isActive: boolean | null
  requiresSecondFactor: boolean
  isApplicationEnabled: boolean
}

/** A person, and the membership in one application where there is one. */
export async function readActor(queryable: Queryable, personId: string, applicationId: string): Promise<ActorRow | undefined> {
  const { rows } = await queryable.query<{
    person_id: string
    name: string
    email: string
    locale: 'en' | 'fr' | null
    time_zone: string | null
    is_blocked: boolean
    session_epoch: number
    has_second_factor: boolean
    roles: Role[] | null
    is_active: boolean | null
    requires_second_factor: boolean | null
    is_enabled: boolean | null
  }>(
    `select p.person_id, p.name, p.email, p.locale, p.time_zone, p.is_blocked, p.session_epoch,
            has_second_factor(p.person_id) as has_second_factor,
            m.roles, m.is_active, a.requires_second_factor, a.is_enabled
       from people p left join memberships m on m.person_id = p.person_id and m.application_id = $2
       left join applications a on a.application_id = m.application_id
      where p.person_id = $1`,
    [personId, applicationId],
  )
  const row = rows[0]
  return (
    row && {
      personId: row.person_id,
      name: row.name,
      email: row.email,
      locale: row.locale,
      timeZone: row.time_zone,
      isBlocked: row.is_blocked,
      sessionEpoch: row.session_epoch,
      hasSecondFactor: row.has_second_factor,
      roles: row.roles,
      isActive: row.is_active,
      requiresSecondFactor: row.requires_second_factor ?? false,
      isApplicationEnabled: row.is_enabled ?? false,
    }
  )
}

/** The applications in which a person is an active member with a role. */
export async function readActiveApplicationIds(queryable: Queryable, personId: string): Promise<string[]> {
  const { rows } = await queryable.query<{ application_id: string }>(
    'select application_id from memberships where person_id = $1 and is_active and cardinality(roles) > 0 order by application_id',
    [personId],
  )
  return rows.map((row) => row.application_id)
}

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
    `select p.name, p.email, m.roles, m.is_active as "isActive", has_second_factor(p.person_id) as "hasSecondFactor",
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
    `select m.person_id as "personId", p.name, m.roles, has_second_factor(p.person_id) as "hasSecondFactor"
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
