import type { WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import type { DeliveryFilter } from '#lib/schemas/page-address.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import { firstIdAfter, runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { AttemptOutcome } from './send/send-webhook.ts'

export type AttemptRow = {
  origin: 'automatic' | 'person'
  requestedBy: string | null
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus: number | null
  detail: string | null
  waitedMs: number | null
  firstByteMs: number | null
  responseStart: string | null
}

/** The attempts of one transaction's webhook in the order in which they started, those of the schedule and those that people requested. */
export async function selectAttempts(queryable: Queryable, applicationId: string, transactionId: string): Promise<AttemptRow[]> {
  const { rows } = await queryable.query<AttemptRow>(
    `select a.origin, a.requested_by as "requestedBy", a.started_at as "startedAt", a.duration_ms as "durationMs", a.outcome,
            a.http_status as "httpStatus", a.detail, a.waited_ms as "waitedMs", a.first_byte_ms as "firstByteMs", a.response_start as "responseStart"
       from (select 'automatic' as origin, number, null as requested_by, started_at, duration_ms, outcome, http_status, detail, waited_ms,
                    first_byte_ms, response_start
               from all_webhook_attempts where application_id = $1 and transaction_id = $2
             union all
             select 'person', r.number, p.name, r.started_at, r.duration_ms, r.outcome, r.http_status, r.detail, r.waited_ms,
                    r.first_byte_ms, r.response_start
               from webhook_resends r left join people p on p.person_id = r.requested_by
               where r.application_id = $1 and r.transaction_id = $2 and r.outcome is not null) a
       order by a.started_at, a.origin, a.number`,
    [applicationId, transactionId],
  )
  return rows
}

export type WaitingResendRow = { requestedBy: string | null; requestedAt: Date }

/** The resend of one transaction's webhook that is waiting or in progress, if there is one. */
export async function selectWaitingResend(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<WaitingResendRow | undefined> {
  const { rows } = await queryable.query<WaitingResendRow>(
    `select p.name as "requestedBy", r.requested_at as "requestedAt" from webhook_resends r left join people p on p.person_id = r.requested_by
       where r.application_id = $1 and r.transaction_id = $2 and r.outcome is null`,
    [applicationId, transactionId],
  )
  return rows[0]
}

type DeliveryStateRow = { state: WebhookState; nextAt: Date; finishedAt: Date | null; isLate: boolean }

/** The state of one transaction's webhook; undefined while the transaction is not final. */
export async function selectDelivery(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<DeliveryStateRow | undefined> {
  const { rows } = await queryable.query<DeliveryStateRow>(
    `select state, case when claimed_until > now() then greatest(next_at, now()) else next_at end as "nextAt", finished_at as "finishedAt",
            state = 'due' and greatest(next_at, claimed_until) < now() - interval '5 seconds' as "isLate"
       from webhook_deliveries where application_id = $1 and transaction_id = $2`,
    [applicationId, transactionId],
  )
  return rows[0]
}

type HealthRow = {
  /** Null in the row of all receivers together, which comes first. */
  target: string | null
  delivered: bigint
  due: bigint
  exhausted: bigint
  last_delivered_at: Date | null
  is_troubled: boolean
  from_at: Date
  until_at: Date
}

/**
 * Deliveries that ended in the last 24 hours and those that have not ended, in all and per receiver, the most troubled first. To the
 * millisecond, so that an address can contain the same instants.
 */
export async function selectHealth(queryable: Queryable, applicationId: string, targetsMax: number): Promise<HealthRow[]> {
  const until = "date_trunc('milliseconds', now())"
  const { rows } = await queryable.query<HealthRow>(
    // Grouped by stored target first, so that a receiver's name is built once per target, not once per delivery.
    `select webhook_receiver(d.target) as target, coalesce(sum(d.delivered), 0) as delivered, coalesce(sum(d.due), 0) as due,
            coalesce(sum(d.exhausted), 0) as exhausted, max(d.last_delivered_at) as last_delivered_at,
            coalesce(bool_or(d.exhausted > 0 or d.oldest_due_at < now() - interval '30 seconds'), false) as is_troubled,
            ${until} - interval '24 hours' as from_at, ${until} as until_at
       from (select target, count(*) filter (where state = 'delivered') as delivered, 0 as due, count(*) filter (where state = 'exhausted') as exhausted,
                    max(finished_at) filter (where state = 'delivered') as last_delivered_at, null as oldest_due_at
               from webhook_deliveries
               where application_id = $1 and finished_at >= ${until} - interval '24 hours' and finished_at < ${until} group by target
             union all
             select target, 0, count(*), 0, null, min(created_at) from webhook_deliveries where application_id = $1 and state = 'due' group by target) d
       group by grouping sets ((), (webhook_receiver(d.target)))
       order by grouping(webhook_receiver(d.target)) desc, exhausted desc, due desc, target limit $2::integer + 1`,
    [applicationId, targetsMax],
  )
  return rows
}

export type DeliveryRow = {
  transactionId: string
  externalId: string
  status: string
  /** The receiver's address, without its secrets. */
  url: string
  state: WebhookState
  attempts: number
  /** When the next attempt is due; null once the delivery has ended. */
  nextAt: Date | null
  /** An attempt has begun and has not ended. */
  isInProgress: boolean
  /** Of the transaction: the list is in this order. */
  createdAt: Date
  outcome: string | null
  httpStatus: number | null
  detail: string | null
  durationMs: number | null
  firstByteMs: number | null
  startedAt: Date | null
}

const DAY_MS = 24 * 3_600_000
/** A transaction that took longer than this to end is found without a first day only. */
const LONGEST_MS = 31 * DAY_MS

/**
 * Returns the deliveries of an application, the newest transaction first, one more than `limit` if there are more. Days are in `zone`. Ids
 * of transactions begin with their time, so a page costs one descent into an index: that of all deliveries, of those that wait or were
 * given up, or of failed attempts with this cause.
 */
export async function listDeliveries(
  queryable: Queryable,
  request: { applicationId: string; filter: DeliveryFilter; zone: string; limit: number },
): Promise<DeliveryRow[]> {
  const { applicationId, filter, zone, limit } = request
  const { state, from, to } = filter
  const source = sourceOf(applicationId, filter)
  const conditions = [
    ...source.conditions,
    sql`d.application_id = ${applicationId}`,
    sql`d.transaction_id < ${highest(filter)} and d.transaction_id >= ${lowest(filter)}`,
    // A constant, because the planner must see that a partial index serves it.
    ...(state === null ? [] : [sql`d.state = ${sql.literal(state)}`]),
    ...(from === null ? [] : [sql`d.created_at >= ${from}::date::timestamp at time zone ${zone}`]),
    ...(to === null ? [] : [sql`d.created_at < (${to}::date + 1)::timestamp at time zone ${zone}`]),
  ]
  const rows = await runQuery<DeliveryRow>(
    queryable,
    sql`select d.transaction_id as "transactionId", t.external_id as "externalId", t.status, coalesce(t.webhook_url, d.target) as url, d.state,
            d.attempts, case when d.state = 'due' then d.next_at end as "nextAt", coalesce(d.state = 'due' and d.claimed_until > now(), false) as "isInProgress", t.created_at as "createdAt", a.outcome, a.http_status as "httpStatus", a.detail, a.duration_ms as "durationMs",
            a.first_byte_ms as "firstByteMs", a.started_at as "startedAt"
       from ${source.deliveries}
       join transactions t on t.application_id = d.application_id and t.transaction_id = d.transaction_id
       left join lateral (
         select l.* from (
           (select outcome, http_status, detail, duration_ms, first_byte_ms, started_at from all_webhook_attempts
              where application_id = d.application_id and transaction_id = d.transaction_id order by number desc limit 1)
           union all
           (select outcome, http_status, detail, duration_ms, first_byte_ms, started_at from webhook_resends
              where application_id = d.application_id and transaction_id = d.transaction_id and outcome is not null order by number desc limit 1)) l
         order by l.started_at desc limit 1) a on true
      where ${sql.join(conditions, sql` and `)}
      order by ${source.order} limit ${limit + 1}`,
  )
  return rows.map((row) => ({ ...row, url: hideSecrets(row.url) }))
}

/**
 * Where the walk begins: the failed attempts of one cause, or the deliveries. Of those that wait there are few, so each is looked at. The cause is
 * a range of one value and part of the order, because otherwise the planner prefers the primary key, in which failures are far apart.
 */
function sourceOf(applicationId: string, filter: DeliveryFilter): { deliveries: Sql; conditions: Sql[]; order: Sql } {
  const { cause, state } = filter
  const order = sql`d.transaction_id desc`
  if (cause === null) return { deliveries: sql`webhook_deliveries d`, conditions: [], order }
  const failed = sql`f.application_id = ${applicationId} and f.outcome >= ${cause} and f.outcome <= ${cause} and f.outcome <> 'delivered'`
  if (state === 'due') {
    const exists = sql`exists (select from webhook_attempts f where ${failed} and f.transaction_id = d.transaction_id)`
    return { deliveries: sql`webhook_deliveries d`, conditions: [exists], order }
  }
  return {
    deliveries: sql`(select distinct on (f.outcome, f.transaction_id) f.transaction_id, f.outcome as cause from webhook_attempts f
        where ${failed} and f.transaction_id < ${highest(filter)} and f.transaction_id >= ${lowest(filter)}
        order by f.outcome desc, f.transaction_id desc) f
      join webhook_deliveries d on d.transaction_id = f.transaction_id`,
    conditions: [],
    order: sql`f.cause desc, f.transaction_id desc`,
  }
}

/** The id at which the first day begins, with a margin for transactions that took long. */
function lowest({ from }: DeliveryFilter): string {
  return firstIdAfter(from === null ? new Date(0) : new Date(Date.parse(from) - LONGEST_MS))
}

/** The id below which the page begins: a transaction is created before its webhook. */
function highest({ before, to }: DeliveryFilter): string {
  const end = to === null ? 'ffffffff-ffff-ffff-ffff-ffffffffffff' : firstIdAfter(new Date(Date.parse(to) + 2 * DAY_MS))
  return before !== null && before < end ? before : end
}

type RequestFactsRow = {
  externalId: string
  status: string
  amountMinor: bigint
  phoneNumber: string
  operator: string
  message: string | null
  finalAt: Date | null
  url: string | null
}

/** Returns the facts from which a delivery's request is made; undefined if the application has no such transaction. */
export async function readRequestFacts(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<RequestFactsRow | undefined> {
  const { rows } = await queryable.query<RequestFactsRow>(
    `select t.external_id as "externalId", t.status, t.amount_minor as "amountMinor", t.phone_number as "phoneNumber", t.operator, t.message,
            t.final_at as "finalAt", t.webhook_url as url
       from transactions t where t.application_id = $1 and t.transaction_id = $2`,
    [applicationId, transactionId],
  )
  return rows[0]
}

/** The address to which the newest transaction of a program wants its result; null if there is none. */
export async function readLatestWebhookUrl(queryable: Queryable, applicationId: string): Promise<string | null> {
  const { rows } = await queryable.query<{ url: string }>(
    `select webhook_url as url from transactions where application_id = $1 and webhook_url is not null order by sequence desc limit 1`,
    [applicationId],
  )
  return rows[0]?.url ?? null
}

/** The instant of a clock time in a zone. */
export async function readLocalTime(queryable: Queryable, text: string, zone: string): Promise<Date> {
  const { rows } = await queryable.query<{ at: Date }>('select $1::timestamp at time zone $2 as at', [text, zone])
  if (!rows[0]) throw new Error('The database returned no time')
  return rows[0].at
}
