import { formatMinor } from '#lib/money.ts'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { Exchange, QueryOutcome, StatusQuery, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import { failureReason } from '#server/operators/failure-table.ts'
import { type CallOutcome, exchangeOf } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import { WAVE_FAILURES } from './failures.ts'
import { sessionSchema, sessionsSchema, type WaveSession } from './messages.ts'
import { clientReferenceOf, refusalIn, type WaveClient } from './wave-client.ts'

const SESSION_ID = /^cos-[\w-]{1,100}$/

/**
 * Opens a checkout, in which the customer pays. Wave has no key against a second one, so what may have been opened before is looked for
 * first.
 */
export async function openCheckout(client: WaveClient, submission: Submission, publicUrl: string | undefined): Promise<SubmitOutcome> {
  if (publicUrl === undefined || submission.payToken === undefined) return notSent('There is no page to return to')
  if (submission.isRepeated) {
    const found = await queryCheckout(client, submission)
    if (found.kind === 'pending') return { ...found, kind: 'accepted' }
    if (found.kind === 'unknown') return { ...found, kind: 'not_sent' }
    if (found.kind !== 'not_found') return found
  }
  const returnUrl = `${publicUrl}/pay/${submission.payToken}`
  const outcome = await client.post('/v1/checkout/sessions', {
    amount: formatMinor(submission.amountMinor),
    currency: submission.currency,
    client_reference: clientReferenceOf(submission),
    restrict_payer_mobile: `+${submission.phoneNumber}`,
    success_url: returnUrl,
    error_url: returnUrl,
  })
  const session = sessionIn(outcome, submission)
  if (session) {
    const judged = judge([session], exchangeOf(outcome))
    return judged.kind === 'pending' ? { ...judged, kind: 'accepted' } : judged
  }
  const refusal = refusalIn(outcome)
  if (refusal?.code !== 'request-validation-error') return notSentOrUnknown(outcome)
  const reason = refusal.isAboutNumber ? FAILURE_MESSAGES.invalidNumber : failureReason(WAVE_FAILURES, refusal.code)
  return { kind: 'failed', reason, operatorCode: refusal.code, exchange: exchangeOf(outcome) }
}

/** By the session's id where it is known, otherwise by our own reference. */
export async function queryCheckout(client: WaveClient, query: StatusQuery): Promise<QueryOutcome> {
  const { operatorReference = '' } = query
  if (SESSION_ID.test(operatorReference)) {
    const outcome = await client.get(`/v1/checkout/sessions/${operatorReference}`)
    const session = sessionIn(outcome, query)
    return session ? judge([session], exchangeOf(outcome)) : unknownOutcome(outcome)
  }
  const reference = clientReferenceOf(query)
  const outcome = await client.get(`/v1/checkout/sessions/search?client_reference=${reference}`)
  const found = isOk(outcome) ? readAnswer(outcome, sessionsSchema) : undefined
  if (!found || found.result.some(({ client_reference }) => client_reference !== reference)) return unknownOutcome(outcome)
  return found.result.length === 0 ? { kind: 'not_found', exchange: exchangeOf(outcome) } : judge(found.result, exchangeOf(outcome))
}

/** What sessions of one transfer mean together. One that is paid decides; all must have ended before it has failed. */
function judge(sessions: readonly WaveSession[], exchange: Exchange): Exclude<QueryOutcome, { kind: 'unknown' | 'not_found' }> {
  const paid = sessions.find(({ payment_status }) => payment_status === 'succeeded')
  if (paid) return { kind: 'succeeded', operatorReference: paid.transaction_id ?? paid.id, exchange }
  const open = sessions.find((session) => !hasEnded(session))
  if (open) return { kind: 'pending', operatorReference: open.id, customerLink: open.wave_launch_url, exchange }
  const [last] = sessions
  const code = last?.payment_status === 'cancelled' ? 'cancelled' : last?.last_payment_error?.code
  const reason = code === undefined ? FAILURE_MESSAGES.operatorTimeout : failureReason(WAVE_FAILURES, code)
  return { kind: 'failed', reason, operatorCode: code ?? 'expired', operatorReference: last?.id ?? '', exchange }
}

/** A payment that failed does not end its session: the customer may try again until it expires. */
function hasEnded({ checkout_status, payment_status }: WaveSession): boolean {
  return checkout_status === 'expired' || payment_status === 'cancelled'
}

function sessionIn(outcome: CallOutcome, query: StatusQuery): WaveSession | undefined {
  const session = isOk(outcome) ? readAnswer(outcome, sessionSchema) : undefined
  return session?.client_reference === clientReferenceOf(query) ? session : undefined
}

function isOk(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.httpStatus >= 200 && outcome.httpStatus <= 299
}

function notSent(detail: string): SubmitOutcome {
  return { kind: 'not_sent', detail, exchange: { httpStatus: null, answer: detail } }
}
