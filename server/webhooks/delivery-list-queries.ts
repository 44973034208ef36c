import type { DeliveryFilter } from '#lib/schemas/webhook-portal.ts'
import type { WebhookState } from '#lib/webhook-state.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import { firstIdAfter } from '#server/database/first-id-after.ts'
import type { Queryable } from '#server/database/pool.ts'

export type DeliveryRow = {
  transactionId: string
  externalId: string
  status: string
  target: string
  state: WebhookState
  attempts: number
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
  return runQuery<DeliveryRow>(
    queryable,
    sql`select d.transaction_id as "transactionId", t.external_id as "externalId", t.status, webhook_receiver(d.target) as target, d.state,
            d.attempts, t.created_at as "createdAt", a.outcome, a.http_status as "httpStatus", a.detail, a.duration_ms as "durationMs",
            a.first_byte_ms as "firstByteMs", a.started_at as "startedAt"
       from ${source.deliveries}
       join transactions t on t.application_id = d.application_id and t.transaction_id = d.transaction_id
       left join lateral (
         select l.* from (
           (select outcome, http_status, detail, duration_ms, first_byte_ms, started_at from webhook_attempts
              where application_id = d.application_id and transaction_id = d.transaction_id order by number desc limit 1)
           union all
           (select outcome, http_status, detail, duration_ms, first_byte_ms, started_at from webhook_resends
              where application_id = d.application_id and transaction_id = d.transaction_id and outcome is not null order by number desc limit 1)) l
         order by l.started_at desc limit 1) a on true
      where ${sql.join(conditions, sql` and `)}
      order by ${source.order} limit ${limit + 1}`,
  )
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
