import type { Queryable } from '#server/database/pool.ts'

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
