import type { DeliveryFilter } from '#lib/schemas/webhook-portal.ts'
import type { WebhookState } from '#lib/webhook-state.ts'
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
 * of transactions begin with their time, so a page costs one descent into an index: that of all deliveries, of those that were given up,
 * or of failed attempts with this cause.
 */
export async function listDeliveries(
  queryable: Queryable,
  request: { applicationId: string; filter: DeliveryFilter; zone: string; limit: number },
): Promise<DeliveryRow[]> {
  const { applicationId, filter, zone, limit } = request
  const { rows } = await queryable.query<DeliveryRow>(
    `select d.transaction_id as "transactionId", t.external_id as "externalId", t.status, webhook_receiver(d.target) as target, d.state,
            d.attempts, t.created_at as "createdAt", a.outcome, a.http_status as "httpStatus", a.detail, a.duration_ms as "durationMs",
            a.first_byte_ms as "firstByteMs", a.started_at as "startedAt"
       from webhook_deliveries d
       join transactions t on t.application_id = d.application_id and t.transaction_id = d.transaction_id
       left join lateral (
         select l.* from (
           (select outcome, http_status, detail, duration_ms, first_byte_ms, started_at from webhook_attempts
              where application_id = d.application_id and transaction_id = d.transaction_id order by number desc limit 1)
           union all
           (select outcome, http_status, detail, duration_ms, first_byte_ms, started_at from webhook_resends
              where application_id = d.application_id and transaction_id = d.transaction_id and outcome is not null order by number desc limit 1)) l
         order by l.started_at desc limit 1) a on true
      where d.application_id = $1 and d.transaction_id < $2 and d.transaction_id >= $3
        and ($4::text is null or d.state = $4)
        and ($5::text is null or exists (select from webhook_attempts f where f.application_id = $1 and f.outcome = $5
               and f.outcome <> 'delivered' and f.transaction_id = d.transaction_id))
        and ($6::date is null or d.created_at >= $6::date::timestamp at time zone $8)
        and ($7::date is null or d.created_at < ($7::date + 1)::timestamp at time zone $8)
      order by d.transaction_id desc limit $9`,
    [
      applicationId,
      highest(filter),
      filter.from === null ? firstIdAfter(new Date(0)) : firstIdAfter(new Date(Date.parse(filter.from) - LONGEST_MS)),
      filter.state,
      filter.cause,
      filter.from,
      filter.to,
      zone,
      limit + 1,
    ],
  )
  return rows
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

/** What the request of a delivery is made from; undefined if the application has no such transaction. */
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
