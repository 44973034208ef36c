import type { BatchFunction, RowColumns, RowOf } from '#server/database/json-row.ts'

/** `item` is one row: the limits of a claim (sql/claim-webhooks.sql says what each column limits). */
export const CLAIM_WEBHOOKS = {
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

export const RECORD_WEBHOOK_OUTCOMES = {
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

export const RETURN_WEBHOOKS = {
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
export type ClaimResultRow = RowOf<typeof CLAIM_WEBHOOKS.result, { webhooks: ClaimedWebhookRow[] }>
export type ClaimedWebhookRow = RowOf<typeof CLAIMED_WEBHOOK>
