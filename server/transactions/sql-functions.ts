import type { BatchFunction, RowColumns } from '#server/database/json-row.ts'

/** `sql/start-transactions.sql`. `application_index` is the position of the application in the sorted list of the batch, from 1. */
export const START_TRANSACTIONS = {
  name: 'start_transactions',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    application_index: 'integer',
    transaction_id: 'uuid',
    external_id: 'uuid',
    type: 'text',
    operator: 'text',
    currency: 'text',
    customer_name: 'text',
    phone_number: 'text',
    phone_number_forms: 'text[] | null',
    amount_minor: 'bigint',
    fee_system_minor: 'bigint',
    fee_app_minor: 'bigint',
    webhook_url: 'text | null',
    pay_token: 'text',
    source: 'text',
    maker_id: 'uuid | null',
    batch_id: 'uuid | null',
    batch_sum_minor: 'bigint | null',
    origin_id: 'uuid | null',
    actor_kind: 'text',
    actor_id: 'uuid | null',
    bands: 'jsonb | null',
  },
  result: {
    item_index: 'integer',
    outcome: 'text',
    transaction_id: 'uuid',
    status: 'text',
    amount_minor: 'bigint',
    fee_system_minor: 'bigint',
    fee_app_minor: 'bigint',
    pay_token: 'text',
  },
} as const satisfies BatchFunction

/** The fields of a request that are compared with those stored under its externalId (`sql/is-same-request.sql`). */
export const COMPARED_REQUEST = {
  item_index: 'integer',
  external_id: 'uuid',
  type: 'text',
  operator: 'text',
  customer_name: 'text',
  phone_number: 'text',
  amount_minor: 'bigint',
  webhook_url: 'text | null',
  source: 'text',
} as const satisfies RowColumns

/**
 * `sql/apply-transitions.sql`. `answer_…` is the operator's answer to a query that ends the transaction; `answer_number` is null if there
 * is none.
 */
export const APPLY_TRANSITIONS = {
  name: 'apply_transitions',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    application_index: 'integer',
    transaction_id: 'uuid',
    from_status: 'text',
    to_status: 'text',
    event: 'text',
    message: 'text | null',
    reason: 'text | null',
    operator_token: 'text | null',
    operator_reference: 'text | null',
    actor_kind: 'text',
    actor_id: 'uuid | null',
    checker_id: 'uuid | null',
    answer_number: 'integer | null',
    answer_outcome: 'text | null',
    answer_http_status: 'integer | null',
    answer_text: 'text | null',
    answer_duration_ms: 'integer | null',
  },
  result: { item_index: 'integer', is_moved: 'boolean', status: 'text', version: 'integer' },
} as const satisfies BatchFunction
