import { formatMinor } from '#lib/money/money.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { failureReason } from '#server/operators/answer-table.ts'
import type {
  Exchange,
  OperatorIdentifiers,
  QueryOutcome,
  ReportedMovement,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
} from '#server/operators/connector.ts'
import type { ConnectorContext } from '#server/operators/settings/protocol.ts'
import { reportedNumber, reportedTogether, unknownPayments } from '#server/operators/wire-formats.ts'
import { type CallOutcome, exchangeOf, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { sessionSchema, sessionsSchema, WAVE_ANSWERS, type WaveSession } from './messages.ts'
import { clientReferenceOf, refusalOf, type WaveClient, type WaveSettings } from './wave-client.ts'

export type Wave = { client: WaveClient; context: ConnectorContext; settings: WaveSettings }

const SESSION_ID = /^cos-[\w-]{1,100}$/

/**
 * Opens a checkout, in which the customer pays. Wave has no key against a second one, so what may have been opened before is looked for
 * first.
 */
export async function openCheckout(wave: Wave, submission: Submission): Promise<SubmitOutcome> {
  const { client, context } = wave
  const { publicUrl } = context
  if (publicUrl === undefined || submission.payToken === undefined) return notSent('There is no page to return to')
  if (submission.isRepeated) {
    const found = await queryCheckout(wave, submission)
    if (found.kind === 'pending') return { ...found, kind: 'accepted' }
    if (found.kind === 'unknown') return { ...found, kind: 'not_sent' }
    if (found.kind !== 'not_found') return found
  }
  const returnUrl = `${publicUrl}/pay/${submission.payToken}`
  const body = {
    amount: formatMinor(submission.amountMinor),
    currency: submission.currency,
    client_reference: clientReferenceOf(submission),
    restrict_payer_mobile: `+${submission.phoneNumber}`,
    success_url: returnUrl,
    error_url: returnUrl,
  }
  const outcome = await client.post('/v1/checkout/sessions', body, { headers: {}, writeBeforeMs: submission.writeBeforeMs })
  const session = sessionIn(outcome, submission)
  if (!session) return refusalOf(outcome)
  const judged = judge(wave, [session], exchangeOf(outcome))
  return judged.kind === 'pending' ? { ...judged, kind: 'accepted' } : judged
}

/** By the session's id where it is known, otherwise by our own reference. */
export async function queryCheckout(wave: Wave, query: StatusEnquiry): Promise<QueryOutcome> {
  const { client } = wave
  const { operatorReference = '' } = query
  if (SESSION_ID.test(operatorReference)) {
    const outcome = await client.get(`/v1/checkout/sessions/${operatorReference}`)
    const session = sessionIn(outcome, query)
    return session ? judge(wave, [session], exchangeOf(outcome)) : unknownOutcome(outcome)
  }
  const reference = clientReferenceOf(query)
  const outcome = await client.get(`/v1/checkout/sessions/search?client_reference=${reference}`)
  const found = isOk(outcome) ? readAnswer(outcome, sessionsSchema) : undefined
  if (!found || found.result.some(({ client_reference }) => client_reference !== reference)) return unknownOutcome(outcome)
  return found.result.length === 0 ? { kind: 'not_found', exchange: exchangeOf(outcome) } : judge(wave, found.result, exchangeOf(outcome))
}

/**
 * Judges the sessions of one transfer together. One that is paid decides; all must have ended before it has failed. Where two are paid, the
 * sum of both is reported, which is not the requested amount.
 */
function judge(wave: Wave, sessions: readonly WaveSession[], exchange: Exchange): Exclude<QueryOutcome, { kind: 'not_found' }> {
  const paid = sessions.filter(({ payment_status }) => payment_status === 'succeeded')
  const [first] = paid
  if (first) {
    const reported = reportedTogether(paid.map(movementOf))
    if (!reported) return unknownPayments(paid.length, exchange)
    return { kind: 'succeeded', ...paidIdsOf(first), reported, exchange }
  }
  const open = sessions.find((session) => !hasEnded(wave, session))
  if (open) return { kind: 'pending', operatorReference: open.id, customerLink: open.wave_launch_url, exchange }
  const [last] = sessions
  const code = last?.payment_status === 'cancelled' ? 'cancelled' : last?.last_payment_error?.code
  const reason = code === undefined ? FAILURE_MESSAGES.operatorTimeout : failureReason(WAVE_ANSWERS, code)
  return { kind: 'failed', reason, operatorCode: code ?? 'expired', operatorReference: last?.id ?? '', exchange }
}

/** The id of the payment, which is in Wave's statements, and that of the session, which may be there too. */
function paidIdsOf({ transaction_id, id }: WaveSession): OperatorIdentifiers {
  return transaction_id === undefined ? { operatorReference: id } : { operatorReference: transaction_id, operatorReferenceOther: id }
}

/**
 * A payment that failed does not end its session: the customer may try again until it expires. A payment that was started at the last
 * moment may still be carried out after that, so an end is believed some time later, and only with the time at which it came.
 */
function hasEnded({ context, settings }: Wave, { checkout_status, payment_status, when_expires }: WaveSession): boolean {
  if (payment_status === 'cancelled') return true
  if (checkout_status !== 'expired' || !when_expires) return false
  return context.clock.now().getTime() >= Date.parse(when_expires) + settings.expiryGraceS * 1_000
}

function movementOf({ amount, currency, restrict_payer_mobile }: WaveSession): ReportedMovement {
  return { amountMinor: amount, currency: currency ?? undefined, phoneNumber: reportedNumber(restrict_payer_mobile) }
}

function sessionIn(outcome: CallOutcome, query: StatusEnquiry): WaveSession | undefined {
  const session = isOk(outcome) ? readAnswer(outcome, sessionSchema) : undefined
  return session?.client_reference === clientReferenceOf(query) ? session : undefined
}

function isOk(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.httpStatus >= 200 && outcome.httpStatus <= 299
}

function notSent(detail: string): SubmitOutcome {
  return { kind: 'not_sent', detail, exchange: { httpStatus: null, answer: detail } }
}
