import type { OperatorCode } from '#lib/operators.ts'
import type { BatchFunction, RowOf } from '#server/database/json-row.ts'

/** `lane`: submissions of one direction, through this `route`, or `begun` for everything else. `enquiry_delay_ms`: null for no such pause. */
export const CLAIM_OPERATOR_WORK = {
  name: 'claim_operator_work',
  item: {
    operator: 'text',
    lane: 'text',
    route: 'text | null',
    slots_max: 'integer',
    lease_ms: 'integer',
    first_query_ms: 'integer',
    enquiry_delay_ms: 'integer | null',
    settings_version: 'text | null',
  },
  result: {
    application_id: 'uuid',
    transaction_id: 'uuid',
    operator: 'text',
    found_state: 'text',
    number: 'integer',
    submissions: 'integer',
    queries: 'integer',
    is_repeated: 'boolean',
    route: 'text | null',
    operator_reference: 'text | null',
    operator_token: 'text | null',
    type: 'text',
    currency: 'text',
    amount_minor: 'bigint',
    phone_number: 'text',
    customer_name: 'text',
    result: 'text | null',
    result_reason: 'text | null',
    result_code: 'text | null',
    last_answer: 'text | null',
  },
} as const satisfies BatchFunction

/**
 * One finished call. `delay_ms` is the pause before the next query, `requeue_ms` the one before the transfer is sent again. `reason` and
 * `operator_code` belong to a failure, or to the refusal of a repeated submission. `is_mismatch`: a success of another movement than ours.
 */
export const STORE_OPERATOR_ANSWERS = {
  name: 'store_operator_answers',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    transaction_id: 'uuid',
    number: 'integer',
    kind: 'text',
    submission: 'integer',
    outcome: 'text',
    http_status: 'integer | null',
    answer: 'text',
    duration_ms: 'integer',
    delay_ms: 'integer',
    requeue_ms: 'integer',
    operator_reference: 'text | null',
    operator_token: 'text | null',
    reason: 'text | null',
    operator_code: 'text | null',
    is_mismatch: 'boolean',
  },
  result: { item_index: 'integer' },
} as const satisfies BatchFunction

export const STORE_OPERATOR_CALLBACKS = {
  name: 'store_operator_callbacks',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    transaction_id: 'uuid',
    operator: 'text',
    outcome: 'text',
    answer: 'text',
    is_verified: 'boolean',
  },
  result: { item_index: 'integer', is_taken: 'boolean' },
} as const satisfies BatchFunction

/** `needs_query`: the answer does not fit the state of the row, so the next scheduled query is made now. */
export const STORE_FORCED_QUERIES = {
  name: 'store_forced_queries',
  item: {
    application_id: 'uuid',
    transaction_id: 'uuid',
    number: 'integer',
    outcome: 'text',
    http_status: 'integer | null',
    answer: 'text',
    duration_ms: 'integer',
    needs_query: 'boolean',
  },
  result: 'void',
} as const satisfies BatchFunction

/** An answer or a callback that may contradict a final result. */
export const STORE_OPERATOR_CONTRADICTIONS = {
  name: 'store_operator_contradictions',
  item: {
    item_index: 'integer',
    application_id: 'uuid',
    transaction_id: 'uuid',
    operator: 'text',
    source: 'text',
    said: 'text',
    answer: 'text',
  },
  result: { item_index: 'integer', is_new: 'boolean' },
} as const satisfies BatchFunction

export type AnswerRow = RowOf<typeof STORE_OPERATOR_ANSWERS.item, { kind: 'submit' | 'query' }>
export type CallbackRow = RowOf<typeof STORE_OPERATOR_CALLBACKS.item, { operator: OperatorCode }>
export type ContradictionRow = RowOf<
  typeof STORE_OPERATOR_CONTRADICTIONS.item,
  { operator: OperatorCode; source: 'callback' | 'submit' | 'query' }
>
