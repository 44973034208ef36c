import { formatMinor } from '#lib/money.ts'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { Exchange, QueryOutcome, StatusQuery, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import { failureReason } from '#server/operators/failure-table.ts'
import { type CallOutcome, exchangeOf } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import { REFUSALS, WAVE_FAILURES } from './failures.ts'
import { payoutSchema, payoutsSchema, type WavePayout } from './messages.ts'
import { clientReferenceOf, refusalIn, type WaveClient } from './wave-client.ts'

const PAYOUT_ID = /^pt-[\w-]{1,100}$/

/** Pays a customer. Under the same Idempotency-Key Wave pays once. */
export async function payOut(client: WaveClient, submission: Submission): Promise<SubmitOutcome> {
  const outcome = await client.post(
    '/v1/payout',
    {
      currency: submission.currency,
      receive_amount: formatMinor(submission.amountMinor),
      mobile: `+${submission.phoneNumber}`,
      client_reference: clientReferenceOf(submission),
    },
    { 'idempotency-key': submission.reference },
  )
  const payout = isOk(outcome) ? readAnswer(outcome, payoutSchema) : undefined
  if (payout?.client_reference === clientReferenceOf(submission)) {
    const judged = judge(payout, exchangeOf(outcome))
    return judged.kind === 'pending' ? { ...judged, kind: 'accepted' } : judged
  }
  const refusal = refusalIn(outcome)
  if (!refusal || !(refusal.code === 'request-validation-error' || REFUSALS.has(refusal.code))) return notSentOrUnknown(outcome)
  const reason = refusal.isAboutNumber ? FAILURE_MESSAGES.invalidNumber : failureReason(WAVE_FAILURES, refusal.code)
  return { kind: 'failed', reason, operatorCode: refusal.code, exchange: exchangeOf(outcome) }
}

/** By the payout's id where it is known, otherwise by our own reference. */
export async function queryPayout(client: WaveClient, query: StatusQuery): Promise<QueryOutcome> {
  const { operatorReference = '' } = query
  const reference = clientReferenceOf(query)
  if (PAYOUT_ID.test(operatorReference)) {
    const outcome = await client.get(`/v1/payout/${operatorReference}`)
    const payout = isOk(outcome) ? readAnswer(outcome, payoutSchema) : undefined
    return payout?.client_reference === reference ? judge(payout, exchangeOf(outcome)) : unknownOutcome(outcome)
  }
  const outcome = await client.get(`/v1/payouts/search?client_reference=${reference}`)
  const found = isOk(outcome) ? readAnswer(outcome, payoutsSchema) : undefined
  if (!found || found.result.some(({ client_reference }) => client_reference !== reference)) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  const [first] = found.result.toSorted((left, right) => rankOf(left) - rankOf(right))
  return first ? judge(first, exchange) : { kind: 'not_found', exchange }
}

function judge(payout: WavePayout, exchange: Exchange): Exclude<QueryOutcome, { kind: 'unknown' | 'not_found' }> {
  const operatorReference = payout.id
  if (payout.status === 'succeeded') return { kind: 'succeeded', operatorReference, exchange }
  if (payout.status !== 'failed' && payout.status !== 'reversed') return { kind: 'pending', operatorReference, exchange }
  const code = payout.status === 'reversed' ? 'reversed' : payout.payout_error?.error_code
  return { kind: 'failed', reason: failureReason(WAVE_FAILURES, code), operatorCode: code, operatorReference, exchange }
}

/** Of several payouts of one transfer, which Wave rules out, the one that moved money decides, then the one that may still. */
function rankOf({ status }: WavePayout): number {
  if (status === 'succeeded') return 0
  return status === 'failed' || status === 'reversed' ? 2 : 1
}

function isOk(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.httpStatus >= 200 && outcome.httpStatus <= 299
}
