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

/** Stores that a session is used and its person is seen, unless another request did so after `noteBefore`. */
export async function upsertSession(queryable: Queryable, use: SessionUse, noteBefore: Date): Promise<void> {
  await queryable.query(
    `with noted as (
       insert into person_sessions as s (session_id, person_id, epoch, started_at, ends_at, last_used_at, address, user_agent)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (session_id) do update
         set last_used_at = excluded.last_used_at, address = excluded.address, user_agent = excluded.user_agent
         where s.last_used_at <= $9
       returning person_id)
     insert into person_sightings as g (person_id, last_seen_at) select person_id, $6 from noted
       on conflict (person_id) do update set last_seen_at = excluded.last_seen_at where g.last_seen_at < excluded.last_seen_at`,
    [use.sessionId, use.personId, use.epoch, use.startedAt, use.endsAt, use.at, use.address, use.userAgent, noteBefore],
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

/** The sessions of a person that are valid at an instant, the last used first. */
export async function selectSessions(queryable: Queryable, personId: string, at: Date, limit: number): Promise<SessionListing[]> {
  const { rows } = await queryable.query<SessionListing>(
    `select s.session_id as "sessionId", s.started_at as "startedAt", s.last_used_at as "lastUsedAt", s.ends_at as "endsAt",
            s.address, s.user_agent as "userAgent"
       from person_sessions s join people p on p.person_id = s.person_id and p.session_epoch = s.epoch and not p.is_blocked
      where s.person_id = $1 and s.ends_at > $2 and not exists (select 1 from ended_sessions e where e.session_id = s.session_id)
      order by s.last_used_at desc, s.session_id limit $3`,
    [personId, at, limit],
  )
  return rows
}

/** One session of a person, as `endSession` takes it. */
export async function selectSession(
  queryable: Queryable,
  personId: string,
  sessionId: string,
): Promise<{ epoch: number; endsAt: Date; address: string } | undefined> {
  const { rows } = await queryable.query<{ epoch: number; endsAt: Date; address: string }>(
    'select epoch, ends_at as "endsAt", address from person_sessions where person_id = $1 and session_id = $2',
    [personId, sessionId],
  )
  return rows[0]
}

/** Removes sessions that ended before an instant. */
export async function deleteSessionsBefore(queryable: Queryable, before: Date): Promise<void> {
  await queryable.query('delete from person_sessions where ends_at < $1', [before])
}
