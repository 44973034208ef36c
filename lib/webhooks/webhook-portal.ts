import type { MessageKey } from '#lib/i18n/translate.ts'

/** The messages of refusals to resend a webhook. */
export const RESEND_REFUSALS = {
  not_permitted: 'transaction.resendNotPermitted',
  no_delivery: 'transaction.resendNoDelivery',
  attempt_in_progress: 'transaction.resendInProgress',
  resend_waiting: 'transaction.resendIsWaiting',
  throttled: 'transaction.resendLimit',
} as const

/** The facts about an attempt that explain its failure. Outcomes are those of server/webhooks/send/send-webhook.ts. */
export type DiagnosedAttempt = {
  outcome: string
  httpStatus: number | null
  detail: string | null
  durationMs: number
  firstByteMs: number | null
}

/** Why an attempt ended as it did, as a message with its values. `isProblem`: the receiver has something to change. */
type Diagnosis = { key: MessageKey; values: Record<string, string | number>; isProblem: boolean }

const DEADLINE_S = 5
/** An answer that took longer than this is a warning: the next one may be too late. */
const SLOW_MS = 3_000

/** Returns the diagnosis of an attempt. `seconds` writes a duration in the reader's language. */
export function diagnoseWebhook(attempt: DiagnosedAttempt, seconds: (ms: number) => string): Diagnosis {
  const { outcome, httpStatus, detail, durationMs, firstByteMs } = attempt
  const limit = DEADLINE_S
  if (outcome === 'delivered') {
    if (durationMs < SLOW_MS) return { key: 'webhooks.why.delivered', values: {}, isProblem: false }
    return { key: 'webhooks.why.slow', values: { seconds: seconds(durationMs), limit }, isProblem: true }
  }
  const problem = (key: MessageKey, values: Record<string, string | number> = {}): Diagnosis => ({ key, values, isProblem: true })
  switch (outcome) {
    case 'bad_status':
      return problem(statusKey(httpStatus ?? 0), { status: httpStatus ?? 0 })
    case 'redirect':
      return problem('webhooks.why.redirect', { status: httpStatus ?? 0 })
    case 'timeout_dns':
      return problem('webhooks.why.timeoutName', { limit })
    case 'timeout_connect':
      return problem('webhooks.why.timeoutConnect', { limit })
    case 'timeout_tls':
      return problem('webhooks.why.timeoutTls', { limit })
    case 'timeout_headers':
      return problem('webhooks.why.timeoutAnswer', { limit })
    case 'timeout_body':
      return problem('webhooks.why.timeoutBody', { seconds: seconds(firstByteMs ?? durationMs), limit })
    case 'dns_error':
      return problem(/ENOTFOUND|ENODATA/.test(detail ?? '') ? 'webhooks.why.noName' : 'webhooks.why.nameServer')
    case 'refused_target':
      return problem('webhooks.why.privateAddress')
    case 'invalid_url':
      return problem('webhooks.why.invalidUrl')
    case 'connection_refused':
      return problem('webhooks.why.refused')
    case 'connection_error':
      return problem(/UNREACH/.test(detail ?? '') ? 'webhooks.why.unreachable' : 'webhooks.why.closed')
    case 'tls_error':
      return problem(certificateKey(detail ?? ''))
    case 'protocol_error':
      return problem('webhooks.why.notHttp')
    case 'interrupted':
      return { key: 'webhooks.why.interrupted', values: {}, isProblem: false }
    default:
      return problem('webhooks.why.unknown')
  }
}

function statusKey(status: number): MessageKey {
  if (status >= 200 && status < 300) return 'webhooks.why.onlyOk'
  if (status === 401 || status === 403) return 'webhooks.why.forbidden'
  if (status === 404 || status === 410) return 'webhooks.why.notFound'
  if (status === 405) return 'webhooks.why.method'
  if (status === 429) return 'webhooks.why.tooMany'
  return status >= 500 ? 'webhooks.why.serverError' : 'webhooks.why.clientError'
}

/** The texts are those of Node and OpenSSL. */
function certificateKey(detail: string): MessageKey {
  if (/altnames/.test(detail)) return 'webhooks.why.certificateName'
  if (/has expired|not yet valid/.test(detail)) return 'webhooks.why.certificateExpired'
  if (/self-signed|unable to (verify|get)/.test(detail)) return 'webhooks.why.certificateUntrusted'
  return 'webhooks.why.tls'
}

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

/** A test event and how it ended; `result` is null while it is in progress. */
export type WebhookTestDto = {
  testId: string
  url: string
  requestedBy: string
  requestedAt: string
  result: (DiagnosedAttempt & { responseStart: string | null }) | null
}
