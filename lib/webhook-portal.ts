import type { DiagnosedAttempt } from './webhook-diagnosis.ts'

/** The causes that a list can be filtered by: outcomes of attempts that failed. */
export const FAILED_OUTCOMES = [
  'bad_status',
  'redirect',
  'timeout_dns',
  'timeout_connect',
  'timeout_tls',
  'timeout_headers',
  'timeout_body',
  'dns_error',
  'refused_target',
  'invalid_url',
  'connection_refused',
  'connection_error',
  'tls_error',
  'protocol_error',
  'interrupted',
] as const

/** A request to send many webhooks again. */
export type RecoveryDto = {
  recoveryId: string
  since: string
  until: string
  includesDelivered: boolean
  requestedBy: string
  requestedAt: string
  counted: number
  resent: number
  endedAt: string | null
  isStopped: boolean
}

/** A test event and how it ended; `result` null while it is under way. */
export type WebhookTestDto = {
  testId: string
  url: string
  requestedBy: string
  requestedAt: string
  result: (DiagnosedAttempt & { responseStart: string | null }) | null
}
