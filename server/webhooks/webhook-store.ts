import type { WebhookState } from '#lib/webhook-state.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { AttemptOutcome } from './send-webhook.ts'

export type ClaimOptions = {
  rowsMax: number
  /** Of one receiver, whatever it may be given. */
  eachMax: number
  freeDefault: number
  defaultRowsMax: number
  free: Record<string, number>
  suspects: Record<string, number>
  suspectRowsMax: number
  /** Receivers to look at in any case. */
  targets: readonly string[]
  /** And those of whatever became due within this time. */
  recentMs: number
  /** The receiver after which the walk goes on; empty for the beginning. */
  cursor: string
  /** How many receivers the walk looks at; 0: no walk. */
  walkMax: number
  leaseMs: number
  gapsMs: readonly number[]
}

/** One attempt that is ours to make. `number` counts from 1. */
export type ClaimedDelivery = {
  applicationId: string
  transactionId: string
  number: number
  target: string
  url: string
  externalId: string
  status: string
  amountMinor: bigint
  phoneNumber: string
  operator: string
  message: string | null
  finalAt: string
  /** When the attempt was due, by the database's clock, in milliseconds since 1970. */
  dueMs: number
}

export type Claim = {
  cursor: string
  /** The walk looked at every receiver. */
  isWalkComplete: boolean
  /** Until the next delivery that is not yet due; null when there is none. */
  nextDueMs: number | null
  /** The database's clock at the claim, in milliseconds since 1970. */
  claimedMs: number
  deliveries: ClaimedDelivery[]
}

type DeliveryRow = [string, string, number, string, string, string, string, string, string, string, string | null, string, number]
type ClaimRow = {
  next_cursor: string
  is_walk_complete: boolean
  next_due_ms: number | null
  claimed_ms: number
  deliveries: DeliveryRow[]
}

/** Claims due deliveries and commits that their attempts have begun. See sql/claim-webhook-deliveries.sql. */
export async function claimDeliveries(queryable: Queryable, options: ClaimOptions): Promise<Claim> {
  const { rows } = await queryable.query<ClaimRow>({
    name: 'claim_webhook_deliveries',
    text: 'select * from claim_webhook_deliveries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
    values: [
      options.rowsMax,
      options.eachMax,
      options.freeDefault,
      options.defaultRowsMax,
      JSON.stringify(options.free),
      JSON.stringify(options.suspects),
      options.suspectRowsMax,
      options.targets,
      options.recentMs,
      options.cursor,
      options.walkMax,
      options.leaseMs,
      options.gapsMs,
    ],
  })
  const row = rows[0]
  if (!row) throw new Error('claim_webhook_deliveries gave no row')
  return {
    cursor: row.next_cursor,
    isWalkComplete: row.is_walk_complete,
    nextDueMs: row.next_due_ms,
    claimedMs: row.claimed_ms,
    deliveries: row.deliveries.map(toDelivery),
  }
}

function toDelivery(row: DeliveryRow): ClaimedDelivery {
  const [applicationId, transactionId, number, target, url, externalId, status, amount, phoneNumber, operator, message, finalAt, dueMs] =
    row
  return {
    applicationId,
    transactionId,
    number,
    target,
    url,
    externalId,
    status,
    amountMinor: BigInt(amount),
    phoneNumber,
    operator,
    message,
    finalAt,
    dueMs,
  }
}

export type AttemptRecord = {
  applicationId: string
  transactionId: string
  number: number
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus: number | null
  detail: string | null
  /** From when the attempt was due until it began. */
  waitedMs: number
  /** Added to the pause before the next attempt. */
  spreadMs: number
}

/** Records what became of attempts and moves their deliveries on, all in one statement. */
export async function recordAttempts(queryable: Queryable, records: readonly AttemptRecord[], gapsMs: readonly number[]): Promise<void> {
  const items = records.map((record) => ({
    app: record.applicationId,
    id: record.transactionId,
    number: record.number,
    started_at: record.startedAt,
    duration_ms: record.durationMs,
    outcome: record.outcome,
    http_status: record.httpStatus,
    detail: record.detail,
    waited_ms: record.waitedMs,
    spread_ms: record.spreadMs,
  }))
  await queryable.query({
    name: 'record_webhook_attempts',
    text: 'select record_webhook_attempts($1, $2)',
    values: [JSON.stringify(items), gapsMs],
  })
}

/** Undoes claims of which nothing was sent. */
export async function returnDeliveries(queryable: Queryable, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  const items = deliveries.map(({ applicationId, transactionId, number, dueMs }) => ({
    app: applicationId,
    id: transactionId,
    number,
    due_at: new Date(dueMs),
  }))
  await queryable.query({
    name: 'return_webhook_deliveries',
    text: 'select return_webhook_deliveries($1)',
    values: [JSON.stringify(items)],
  })
}

export type AttemptRow = {
  number: number
  started_at: Date
  duration_ms: number
  outcome: AttemptOutcome
  http_status: number | null
  detail: string | null
  waited_ms: number | null
}

/** The attempts of one transaction's webhook, in order. */
export async function selectAttempts(queryable: Queryable, applicationId: string, transactionId: string): Promise<AttemptRow[]> {
  const { rows } = await queryable.query<AttemptRow>(
    `select number, started_at, duration_ms, outcome, http_status, detail, waited_ms from webhook_attempts
       where application_id = $1 and transaction_id = $2 order by number`,
    [applicationId, transactionId],
  )
  return rows
}

export type DeliveryStateRow = { state: WebhookState; attempts: number; next_at: Date; finished_at: Date | null; is_late: boolean }

/** The state of one transaction's webhook; undefined while the transaction is not final. */
export async function selectDelivery(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<DeliveryStateRow | undefined> {
  const { rows } = await queryable.query<DeliveryStateRow>(
    `select state, attempts, next_at, finished_at, state = 'due' and next_at < now() - interval '5 seconds' as is_late
       from webhook_deliveries where application_id = $1 and transaction_id = $2`,
    [applicationId, transactionId],
  )
  return rows[0]
}

export type HealthRow = {
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
 * millisecond, so that an address can say the same instants.
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
