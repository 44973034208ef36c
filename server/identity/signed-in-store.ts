import type { Locale } from '#lib/i18n/locale.ts'
import type { Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'

export type MembershipRow = {
  applicationId: string
  slug: string
  name: string
  requiresSecondFactor: boolean
  isEnabled: boolean
  roles: Role[]
}
export type SignedInRow = {
  personId: string
  name: string
  email: string
  locale: Locale | null
  timeZone: string | null
  isBlocked: boolean
  hasSecondFactor: boolean
  sessionEpoch: number
  memberships: MembershipRow[]
}

/** A person with the applications they are an active member of, by name; undefined when there is nobody of this id. */
export async function readSignedIn(queryable: Queryable, personId: string): Promise<SignedInRow | undefined> {
  const { rows } = await queryable.query<SignedInRow>(
    `select p.person_id as "personId", p.name, p.email, p.locale, p.time_zone as "timeZone", p.is_blocked as "isBlocked",
            p.totp_enabled_at is not null as "hasSecondFactor", p.session_epoch as "sessionEpoch",
            coalesce((select json_agg(json_build_object('applicationId', a.application_id, 'slug', a.slug, 'name', a.name,
                        'requiresSecondFactor', a.requires_second_factor, 'isEnabled', a.is_enabled, 'roles', m.roles) order by a.name, a.slug)
                      from memberships m join applications a on a.application_id = m.application_id
                      where m.person_id = p.person_id and m.is_active and cardinality(m.roles) > 0), '[]') as memberships
     from people p where p.person_id = $1`,
    [personId],
  )
  return rows[0]
}

/** Keeps a person's language or time zone; what is undefined stays. False when there is no such person. */
export async function updateLook(
  queryable: Queryable,
  personId: string,
  look: { locale?: Locale | undefined; timeZone?: string | undefined },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'update people set locale = coalesce($2, locale), time_zone = coalesce($3, time_zone) where person_id = $1',
    [personId, look.locale ?? null, look.timeZone ?? null],
  )
  return rowCount === 1
}

/** The places of those who are not blocked, whose session is of the present generation, and who are active members. */
export async function selectAdmitted(
  queryable: Queryable,
  onlookers: readonly { personId: string; epoch: number; applicationId: string }[],
): Promise<number[]> {
  const { rows } = await queryable.query<{ place: number }>(
    `select o.place::integer - 1 as place
     from unnest($1::uuid[], $2::integer[], $3::uuid[]) with ordinality as o (person_id, epoch, application_id, place)
     join people p on p.person_id = o.person_id and not p.is_blocked and p.session_epoch = o.epoch
     join memberships m on m.person_id = o.person_id and m.application_id = o.application_id and m.is_active and cardinality(m.roles) > 0`,
    [onlookers.map((one) => one.personId), onlookers.map((one) => one.epoch), onlookers.map((one) => one.applicationId)],
  )
  return rows.map((row) => row.place)
}
