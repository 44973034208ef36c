import { type BatchFunction, encodeRows, type RowColumns, type RowOf } from '#server/database/json-row.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { AttemptOutcome } from './send/send-webhook.ts'

/** One attempt that this process must make. */
export type ClaimedDelivery = {
  applicationId: string
  transactionId: string
  /** Null: an attempt of the schedule. Otherwise the number of the resend that a person requested. */
  resendNumber: number | null
  /** The attempt of the schedule, or the claim of the resend. Counts from 1. */
  number: number
  /** scheme://host:port, the queue of the receiver. */
  target: string
  url: string
  externalId: string
  status: string
  amountMinor: bigint
  phoneNumber: string
  operator: string
  message: string | null
  finalAt: string
  /** When the attempt was due, by the database's clock. */
  dueAt: Date
}

export type Claim = {
  cursor: string
  /** The walk looked at every receiver. */
  isWalkComplete: boolean
  /** Until the next delivery that is not yet due; null if there is none. */
  nextDueMs: number | null
  /** The database's clock at the claim. */
  claimedAt: Date
  deliveries: ClaimedDelivery[]
}

/** How many more webhooks each receiver may receive, by target: those whose last attempt timed out in `suspects`. */
export type FreeSlots = { free: Record<string, number>; suspects: Record<string, number> }

/** Claims due webhooks and commits that their attempts have started. */
export async function claimDeliveries(queryable: Queryable, limits: ClaimLimitsRow, slots: FreeSlots): Promise<Claim> {
  const { rows } = await queryable.query<ClaimResultRow>({
    name: CLAIM_WEBHOOKS.name,
    text: 'select * from claim_webhooks($1, $2, $3)',
    values: [encodeRows(CLAIM_WEBHOOKS.item, [limits]), JSON.stringify(slots.free), JSON.stringify(slots.suspects)],
  })
  const [row] = rows
  if (!row) throw new Error('claim_webhooks returned no row')
  return {
    cursor: row.next_cursor,
    isWalkComplete: row.is_walk_complete,
    nextDueMs: row.next_due_ms,
    claimedAt: row.claimed_at,
    deliveries: row.webhooks.map(toDelivery),
  }
}

function toDelivery(row: ClaimedWebhookRow): ClaimedDelivery {
  return {
    applicationId: row.application_id,
    transactionId: row.transaction_id,
    resendNumber: row.resend_number,
    number: row.number,
    target: row.target,
    url: row.url,
    externalId: row.external_id,
    status: row.status,
    amountMinor: BigInt(row.amount_minor),
    phoneNumber: row.phone_number,
    operator: row.operator,
    message: row.message,
    finalAt: row.final_at,
    dueAt: new Date(row.due_at),
  }
}

export type AttemptRecord = Pick<ClaimedDelivery, 'applicationId' | 'transactionId' | 'resendNumber' | 'number'> & {
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus: number | null
  detail: string | null
  /** From the beginning of the attempt until the status came; null if none did. */
  firstByteMs: number | null
  /** The start of the answer's body, as safe text. */
  responseStart: string | null
  /** The time from the due time of the attempt to its start. */
  waitedMs: number
  /** Added to the pause before the next attempt. */
  spreadMs: number
}

/** Records outcomes and moves their deliveries and resends, all in one statement. */
export async function recordAttempts(queryable: Queryable, records: readonly AttemptRecord[], gapsMs: readonly number[]): Promise<void> {
  const items = records.map((record) => ({
    ...keyOf(record),
    started_at: record.startedAt,
    duration_ms: record.durationMs,
    outcome: record.outcome,
    http_status: record.httpStatus,
    detail: record.detail,
    waited_ms: record.waitedMs,
    spread_ms: record.spreadMs,
    first_byte_ms: record.firstByteMs,
    response_start: record.responseStart,
  }))
  await queryable.query({
    name: RECORD_WEBHOOK_OUTCOMES.name,
    text: 'select record_webhook_outcomes($1, $2)',
    values: [encodeRows(RECORD_WEBHOOK_OUTCOMES.item, items), gapsMs],
  })
}

/** Undoes claims of which nothing was sent. */
export async function returnDeliveries(queryable: Queryable, deliveries: readonly ClaimedDelivery[]): Promise<void> {
  const items = deliveries.map((delivery) => ({ ...keyOf(delivery), due_at: delivery.dueAt }))
  await queryable.query({
    name: RETURN_WEBHOOKS.name,
    text: 'select return_webhooks($1)',
    values: [encodeRows(RETURN_WEBHOOKS.item, items)],
  })
}

function keyOf({ applicationId, transactionId, resendNumber, number }: AttemptRecord | ClaimedDelivery) {
  return { application_id: applicationId, transaction_id: transactionId, resend_number: resendNumber, number }
}

/** `item` is one row: the limits of a claim (sql/claim-webhooks.sql says what each column limits). */
const CLAIM_WEBHOOKS = {
  name: 'claim_webhooks',
  item: {
    rows_max: 'integer',
    each_max: 'integer',
    suspect_rows_max: 'integer',
    unlisted_each: 'integer',
    unlisted_rows_max: 'integer',
    targets: 'text[]',
    recent_ms: 'integer',
    cursor: 'text',
    walk_receivers_max: 'integer',
    lease_ms: 'integer',
    gaps_ms: 'integer[]',
  },
  result: {
    next_cursor: 'text',
    is_walk_complete: 'boolean',
    next_due_ms: 'integer | null',
    claimed_at: 'timestamptz',
    webhooks: 'json',
  },
} as const satisfies BatchFunction

/** A row of `webhooks`, as start_webhook_attempts returns it. `due_at` goes back as it came in return_webhooks. */
export const CLAIMED_WEBHOOK = {
  application_id: 'uuid',
  transaction_id: 'uuid',
  resend_number: 'integer | null',
  number: 'integer',
  target: 'text',
  url: 'text',
  external_id: 'text',
  status: 'text',
  amount_minor: 'text',
  phone_number: 'text',
  operator: 'text',
  message: 'text | null',
  final_at: 'text',
  due_at: 'text',
} as const satisfies RowColumns

const RECORD_WEBHOOK_OUTCOMES = {
  name: 'record_webhook_outcomes',
  item: {
    application_id: 'uuid',
    transaction_id: 'uuid',
    resend_number: 'integer | null',
    number: 'smallint',
    started_at: 'timestamptz',
    duration_ms: 'integer',
    outcome: 'text',
    http_status: 'integer | null',
    detail: 'text | null',
    waited_ms: 'integer',
    spread_ms: 'integer',
    first_byte_ms: 'integer | null',
    response_start: 'text | null',
  },
  result: 'void',
} as const satisfies BatchFunction

const RETURN_WEBHOOKS = {
  name: 'return_webhooks',
  item: {
    application_id: 'uuid',
    transaction_id: 'uuid',
    resend_number: 'integer | null',
    number: 'smallint',
    due_at: 'timestamptz',
  },
  result: 'void',
} as const satisfies BatchFunction

export type ClaimLimitsRow = RowOf<typeof CLAIM_WEBHOOKS.item>
type ClaimResultRow = RowOf<typeof CLAIM_WEBHOOKS.result, { webhooks: ClaimedWebhookRow[] }>
type ClaimedWebhookRow = RowOf<typeof CLAIMED_WEBHOOK>
