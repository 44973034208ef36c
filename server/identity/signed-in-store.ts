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

/** Keeps a person's language or time zone; null takes a choice back, undefined leaves it. */
export async function updateLook(
  queryable: Queryable,
  personId: string,
  look: { locale?: Locale | null; timeZone?: string | null },
): Promise<void> {
  await queryable.query(
    `update people set locale = case when $2 then $3 else locale end, time_zone = case when $4 then $5 else time_zone end where person_id = $1`,
    [personId, look.locale !== undefined, look.locale ?? null, look.timeZone !== undefined, look.timeZone ?? null],
  )
}
