/**
 * The kinds of errors of version 2, for programs. A code keeps its meaning for good: partners' programs decide by it. New ones may be added
 * anywhere, and none is renamed or removed.
 */
const ERROR_CODES = [
  // The request itself.
  'request_line_invalid',
  'http_invalid',
  'http_version_unsupported',
  'expectation_unsupported',
  'host_invalid',
  'header_repeated',
  'head_too_large',
  'request_too_slow',
  'too_many_parameters',
  'parameters_invalid',
  'endpoint_not_found',
  'method_not_allowed',
  'body_empty',
  'body_not_json',
  'body_too_large',
  'body_too_slow',
  'content_type_unsupported',
  'content_encoding_unsupported',
  'fields_invalid',
  // Who calls.
  'unauthenticated',
  'wrong_password',
  'wrong_refresh_token',
  'address_not_allowed',
  'user_blocked',
  'application_disabled',
  'not_permitted',
  'scope_missing',
  // The request's subject.
  'service_disabled',
  'operator_not_in_service',
  'amount_out_of_limits',
  'amount_not_above_fees',
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'external_id_repeated',
  'external_id_taken',
  'webhook_url_missing',
  'transaction_not_found',
  'batch_not_found',
  'batch_starting',
  'not_started_by_program',
  'transaction_final',
  'already_sent',
  'not_a_collect',
  'collect_not_successful',
  'collect_contradicted',
  'collect_adjusted',
  'nothing_left',
  'more_than_is_left',
  'earlier_refund_unconfirmed',
  'account_checks_disabled',
  'cursor_invalid',
  'day_invalid',
  'settlement_not_found',
  // Decisions.
  'not_a_checker',
  'is_maker',
  'has_password',
  'decided_already',
  'code_required',
  'api_may_not_decide',
  'started_by_api_user',
  'collect_doubted',
  'not_waiting',
  'approval_expired',
  'content_changed',
  // Callbacks of operators.
  'operator_not_connected',
  'signature_invalid',
  'callback_unreadable',
  // Too much at once.
  'too_many_requests',
  'too_many_attempts',
  'too_many_exchanges',
  'too_many_queries',
  'too_many_bodies',
  'account_checks_used_up',
  'operator_busy',
  'overloaded',
  // The service.
  'operator_unavailable',
  'database_unavailable',
  'not_ready',
  'internal_error',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

export function isErrorCode(text: string): text is ErrorCode {
  return ERROR_CODES.some((code) => code === text)
}
