import type { Locale } from '#lib/i18n/locale.ts'
import { DECIDING_ROLES, type Role } from '#lib/people/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ABSENT_CHECKERS, type AbsentChecker } from '../deputy-store.ts'
import { IS_OPEN, IS_RECENT } from '../invitation-store.ts'

type MembershipRow = {
  applicationId: string
  slug: string
  name: string
  /** The application's business time zone. */
  timeZone: string
  requiresSecondFactor: boolean
  isEnabled: boolean
  runsInstallation: boolean
  roles: Role[]
  /** The absent checkers in whose place the person decides now. */
  deputyFor: AbsentChecker[]
  /** When this session was last noted as used in this application; null: never. */
  usedAt: Date | null
}
export type SignedInRow = {
  personId: string
  name: string
  email: string
  locale: Locale | null
  timeZone: string | null
  isBlocked: boolean
  /** An authenticator app is set up. Every session of the person was started with one of its codes, or with a passkey. */
  hasCodes: boolean
  hasPasskey: boolean
  sessionEpoch: number
  isSessionEnded: boolean
  /** When this session was last noted as used; null: never. */
  sessionUsedAt: Date | null
  /** When somebody last entered twenty wrong one-time codes in a row for this person; null: never, or the person has read it. */
  codesGuessedAt: Date | null
  /** Whether an invitation waits for their answer, or for the code that they were shown. */
  hasInvitations: boolean
  memberships: MembershipRow[]
}

/**
 * A person with the applications they are an active member of, by name, and whether this session was signed out; undefined
 * if there is no such person.
 */
export async function readSignedIn(queryable: Queryable, personId: string, sessionId: string): Promise<SignedInRow | undefined> {
  type Row = Omit<SignedInRow, 'memberships'> & { memberships: (Omit<MembershipRow, 'usedAt'> & { usedAt: string | null })[] }
  const { rows } = await queryable.query<Row>(
    `select p.person_id as "personId", p.name, p.email, p.locale, p.time_zone as "timeZone", p.is_blocked as "isBlocked",
            p.totp_enabled_at is not null as "hasCodes",
            exists (select from passkeys k where k.person_id = p.person_id) as "hasPasskey", p.session_epoch as "sessionEpoch", p.codes_guessed_at as "codesGuessedAt",
            exists (select 1 from ended_sessions e where e.session_id = $2) as "isSessionEnded",
            (select s.last_used_at from person_sessions s where s.session_id = $2) as "sessionUsedAt",
            exists (select 1 from person_invitations i where i.email = p.email and ${IS_OPEN} and ${IS_RECENT}
                      and (i.accepted_by is null or i.accepted_by = p.person_id)) as "hasInvitations",
            coalesce((select json_agg(json_build_object('applicationId', a.application_id, 'slug', a.slug, 'name', a.name, 'timeZone', a.time_zone,
                        'requiresSecondFactor', a.requires_second_factor, 'isEnabled', a.is_enabled, 'runsInstallation', a.runs_installation, 'roles', m.roles,
                        'deputyFor', ${ABSENT_CHECKERS}, 'usedAt', u.last_used_at)
                        order by a.name, a.slug)
                      from memberships m join applications a on a.application_id = m.application_id
                           left join application_sessions u on u.application_id = m.application_id and u.session_id = $2
                      where m.person_id = p.person_id and m.is_active and cardinality(m.roles) > 0), '[]') as memberships
     from people p where p.person_id = $1`,
    [personId, sessionId],
  )
  const row = rows[0]
  // JSON has no instants.
  const memberships = row?.memberships.map((each) => ({ ...each, usedAt: each.usedAt === null ? null : new Date(each.usedAt) }))
  return row && { ...row, memberships: memberships ?? [] }
}

/** Stores a person's language or time zone; undefined values are unchanged. Returns false if there is no such person. */
export async function updatePreferences(
  queryable: Queryable,
  personId: string,
  preferences: { locale?: Locale | undefined; timeZone?: string | undefined },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'update people set locale = coalesce($2, locale), time_zone = coalesce($3, time_zone) where person_id = $1',
    [personId, preferences.locale ?? null, preferences.timeZone ?? null],
  )
  return rowCount === 1
}

/** Notes that a session was signed out; false when it was before, or was over for another reason. */
export async function insertEndedSession(
  queryable: Queryable,
  session: { personId: string; epoch: number; sessionId: string; endsAt: Date },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into ended_sessions (session_id, ends_at)
       select $1, $2 from people where person_id = $3 and session_epoch = $4 and not is_blocked
     on conflict (session_id) do nothing`,
    [session.sessionId, session.endsAt, session.personId, session.epoch],
  )
  return rowCount === 1
}

/** Removes the notes of sessions that ended before an instant; returns how many. */
export async function deleteEndedSessionsBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from ended_sessions where ends_at < $1', [before])
  return rowCount ?? 0
}

/**
 * The positions, from 0, of those who are not blocked, whose session is of the current epoch and was not signed out, and who are
 * active members and proved the second factor that the application may require. People with a role that decides are left out if their session was
 * last used before `idleBefore`.
 */
export async function selectAdmitted(
  queryable: Queryable,
  subscribers: readonly { personId: string; epoch: number; sessionId: string; applicationId: string; usedPasskey?: boolean }[],
  idleBefore: Date,
): Promise<number[]> {
  const { rows } = await queryable.query<{ position: number }>(
    `select o.position::integer - 1 as position
     from unnest($1::uuid[], $2::integer[], $3::uuid[], $4::uuid[], $7::boolean[])
            with ordinality as o (person_id, epoch, application_id, session_id, used_passkey, position)
     join people p on p.person_id = o.person_id and not p.is_blocked and p.session_epoch = o.epoch
     join memberships m on m.person_id = o.person_id and m.application_id = o.application_id and m.is_active and cardinality(m.roles) > 0
     join applications a on a.application_id = o.application_id and (not a.requires_second_factor or p.totp_enabled_at is not null
            or (o.used_passkey and exists (select from passkeys k where k.person_id = p.person_id)))
     where not exists (select 1 from ended_sessions e where e.session_id = o.session_id)
       and not (exists (select 1 from person_sessions s where s.session_id = o.session_id and s.last_used_at < $5)
                and exists (select 1 from memberships d where d.person_id = p.person_id and d.is_active
                                    and (d.roles && $6 or exists (select from absent_checkers(d.application_id, d.person_id)))))`,
    [
      subscribers.map((one) => one.personId),
      subscribers.map((one) => one.epoch),
      subscribers.map((one) => one.applicationId),
      subscribers.map((one) => one.sessionId),
      idleBefore,
      DECIDING_ROLES,
      subscribers.map((one) => one.usedPasskey ?? false),
    ],
  )
  return rows.map((row) => row.position)
}

type SessionUse = {
  sessionId: string
  personId: string
  epoch: number
  startedAt: Date
  endsAt: Date
  at: Date
  address: string
  userAgent: string
}

/** Stores that a session is used, unless another request did so after `noteBefore`. */
export async function upsertSession(queryable: Queryable, use: SessionUse, noteBefore: Date): Promise<void> {
  await queryable.query(
    `insert into person_sessions as s (session_id, person_id, epoch, started_at, ends_at, last_used_at, address, user_agent)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (session_id) do update
       set last_used_at = excluded.last_used_at, address = excluded.address, user_agent = excluded.user_agent
       where s.last_used_at <= $9`,
    [use.sessionId, use.personId, use.epoch, use.startedAt, use.endsAt, use.at, use.address, use.userAgent, noteBefore],
  )
}

type ApplicationUse = Pick<SessionUse, 'sessionId' | 'personId' | 'at' | 'address' | 'userAgent'> & { applicationId: string }

/** Stores that a session is used in an application and its person is seen there, unless another request did so after `noteBefore`. */
export async function upsertApplicationSession(queryable: Queryable, use: ApplicationUse, noteBefore: Date): Promise<void> {
  await queryable.query(
    `with noted as (
       insert into application_sessions as s (application_id, session_id, last_used_at, address, user_agent) values ($1, $2, $4, $5, $6)
       on conflict (application_id, session_id) do update
         set last_used_at = excluded.last_used_at, address = excluded.address, user_agent = excluded.user_agent
         where s.last_used_at <= $7
       returning application_id)
     insert into person_sightings as g (application_id, person_id, last_seen_at) select application_id, $3, $4 from noted
       on conflict (application_id, person_id) do update set last_seen_at = excluded.last_seen_at where g.last_seen_at < excluded.last_seen_at`,
    [use.applicationId, use.sessionId, use.personId, use.at, use.address, use.userAgent, noteBefore],
  )
}

export type SessionListing = {
  sessionId: string
  startedAt: Date
  lastUsedAt: Date
  endsAt: Date
  address: string
  userAgent: string
}

/**
 * The sessions of a person that are valid at an instant and were used in an application, the last used there first. Address and browser are those
 * of the last use there.
 */
export async function selectSessions(
  queryable: Queryable,
  applicationId: string,
  personId: string,
  at: Date,
  limit: number,
): Promise<SessionListing[]> {
  const { rows } = await queryable.query<SessionListing>(
    `select s.session_id as "sessionId", s.started_at as "startedAt", u.last_used_at as "lastUsedAt", s.ends_at as "endsAt",
            u.address, u.user_agent as "userAgent"
       from person_sessions s join people p on p.person_id = s.person_id and p.session_epoch = s.epoch and not p.is_blocked
            join application_sessions u on u.application_id = $1 and u.session_id = s.session_id
      where s.person_id = $2 and s.ends_at > $3 and not exists (select 1 from ended_sessions e where e.session_id = s.session_id)
      order by u.last_used_at desc, s.session_id limit $4`,
    [applicationId, personId, at, limit],
  )
  return rows
}

/** The sessions of a person that were used in an application, or one of them, as `insertEndedSession` takes them. */
export async function selectSessionsToEnd(
  queryable: Queryable,
  { applicationId, personId, sessionId }: { applicationId: string; personId: string; sessionId?: string | undefined },
): Promise<{ sessionId: string; epoch: number; endsAt: Date; address: string }[]> {
  const { rows } = await queryable.query<{ sessionId: string; epoch: number; endsAt: Date; address: string }>(
    `select s.session_id as "sessionId", s.epoch, s.ends_at as "endsAt", u.address
       from person_sessions s join application_sessions u on u.application_id = $1 and u.session_id = s.session_id
      where s.person_id = $2 and ($3::uuid is null or s.session_id = $3)`,
    [applicationId, personId, sessionId ?? null],
  )
  return rows
}

/** Removes sessions that ended before an instant. */
export async function deleteSessionsBefore(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query('delete from person_sessions where ends_at < $1', [before])
}
