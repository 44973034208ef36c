import type { NoticeEventDto } from '#lib/webhooks/notice-event.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findNotice, type Notice } from './notice-store.ts'

export type ClaimedEvent = { applicationId: string; notice: Notice; createdAt: Date; url: string; attempts: number }
export type EventEnding = { isDelivered: boolean; outcome: string; httpStatus: number | null; detail: string | null }

/** Ends what was sent four times and whose process died before it knew the answer. */
export async function giveUpInterrupted(queryable: Queryable, now: Date): Promise<void> {
  await queryable.query(
    `update event_deliveries set state = 'exhausted', outcome = 'interrupted', http_status = null, detail = null, ended_at = $1::timestamptz
      where state = 'due' and attempts = 4 and claimed_until <= $1::timestamptz`,
    [now],
  )
}

/** Claims events that are due, at most `eachMax` of an application, and counts their attempts. They can be claimed again after `leaseMs`. */
export async function claimEvents(
  queryable: Queryable,
  now: Date,
  { countMax, eachMax, leaseMs }: { countMax: number; eachMax: number; leaseMs: number },
): Promise<ClaimedEvent[]> {
  const due = `d.state = 'due' and d.attempts < 4 and d.next_at <= $1::timestamptz and coalesce(d.claimed_until <= $1::timestamptz, true)`
  const { rows } = await queryable.query<{ applicationId: string; noticeId: string; url: string; attempts: number; createdAt: Date }>(
    `with ranked as (
       select d.application_id, d.notice_id, d.next_at, row_number() over (partition by d.application_id order by d.next_at) as place
         from event_deliveries d where ${due}
     ), chosen as (
       select d.application_id, d.notice_id from event_deliveries d join ranked r on r.application_id = d.application_id and r.notice_id = d.notice_id
         where ${due} and r.place <= $3 order by r.next_at limit $2 for update of d skip locked
     )
     update event_deliveries d set attempts = d.attempts + 1, claimed_until = $1::timestamptz + $4::float8 * interval '1 millisecond'
       from chosen c join notices n on n.notice_id = c.notice_id
       where d.application_id = c.application_id and d.notice_id = c.notice_id
       returning d.application_id as "applicationId", d.notice_id as "noticeId", d.url, d.attempts, n.created_at as "createdAt"`,
    [now, countMax, eachMax, leaseMs],
  )
  return Promise.all(
    rows.map(async ({ noticeId, ...claimed }) => {
      const notice = await findNotice(queryable, noticeId)
      if (!notice) throw new Error('The notice of a claimed event is gone')
      return { ...claimed, notice }
    }),
  )
}

/** Records how an attempt ended, unless a later one has started or the event was delivered. `gapsMs`: the pauses after the first, second and third attempt. */
export async function endAttempt(
  queryable: Queryable,
  { applicationId, notice, attempts }: ClaimedEvent,
  { isDelivered, outcome, httpStatus, detail }: EventEnding,
  { now, gapsMs }: { now: Date; gapsMs: readonly number[] },
): Promise<void> {
  const gapMs = gapsMs[attempts - 1]
  const state = isDelivered ? 'delivered' : gapMs === undefined ? 'exhausted' : 'due'
  await queryable.query(
    `update event_deliveries set state = $4::text, outcome = $5, http_status = $6, detail = $7, claimed_until = null,
            next_at = $8::timestamptz + $9::float8 * interval '1 millisecond',
            ended_at = case when $4::text <> 'due' then $8::timestamptz end
      where application_id = $1 and notice_id = $2 and state <> 'delivered' and (attempts = $3 or $4::text = 'delivered')`,
    [applicationId, notice.noticeId, attempts, state, outcome, httpStatus, detail, now, gapMs ?? 0],
  )
}

/** The newest events of an application and what became of them. */
export async function listEvents(queryable: Queryable, applicationId: string, limit: number): Promise<NoticeEventDto[]> {
  const { rows } = await queryable.query<Omit<NoticeEventDto, 'createdAt'> & { createdAt: Date }>(
    `select d.notice_id as "noticeId", n.cause, n.operator, n.created_at as "createdAt", d.url, d.state, d.attempts, d.outcome, d.http_status as "httpStatus"
       from event_deliveries d join notices n on n.notice_id = d.notice_id
      where d.application_id = $1 order by n.created_at desc, d.notice_id limit $2`,
    [applicationId, limit],
  )
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
}
