import { formatMinor } from '#lib/money/money.ts'
import { failureReason } from '#server/operators/answer-table.ts'
import type { Exchange, QueryOutcome, ReportedMovement, StatusEnquiry, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import { reportedNumber, reportedTogether, unknownPayments } from '#server/operators/wire-formats.ts'
import { type CallOutcome, exchangeOf, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { payoutSchema, payoutsSchema, WAVE_ANSWERS, type WavePayout } from './messages.ts'
import { clientReferenceOf, refusalOf, type WaveClient } from './wave-client.ts'

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
    { headers: { 'idempotency-key': submission.reference }, writeBeforeMs: submission.writeBeforeMs },
  )
  const payout = isOk(outcome) ? readAnswer(outcome, payoutSchema) : undefined
  if (payout?.client_reference === clientReferenceOf(submission)) {
    const judged = judge(payout, exchangeOf(outcome))
    return judged.kind === 'pending' ? { ...judged, kind: 'accepted' } : judged
  }
  return refusalOf(outcome)
}

/** By the payout's id where it is known, otherwise by our own reference. */
export async function queryPayout(client: WaveClient, query: StatusEnquiry): Promise<QueryOutcome> {
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
  const [first, second] = found.result.toSorted((left, right) => rankOf(left) - rankOf(right))
  if (second?.status === 'succeeded') return paidTwice(found.result, exchange)
  return first ? judge(first, exchange) : { kind: 'not_found', exchange }
}

function judge(payout: WavePayout, exchange: Exchange): Exclude<QueryOutcome, { kind: 'unknown' | 'not_found' }> {
  const operatorReference = payout.id
  if (payout.status === 'succeeded') {
    const other = payout.transaction_id === undefined ? {} : { operatorReferenceOther: payout.transaction_id }
    return { kind: 'succeeded', operatorReference, ...other, reported: movementOf(payout), exchange }
  }
  if (payout.status !== 'failed' && payout.status !== 'reversed') return { kind: 'pending', operatorReference, exchange }
  const code = payout.status === 'reversed' ? 'reversed' : payout.payout_error?.error_code
  return { kind: 'failed', reason: failureReason(WAVE_ANSWERS, code), operatorCode: code, operatorReference, exchange }
}

function movementOf({ receive_amount: amountMinor, currency, mobile }: WavePayout): ReportedMovement {
  return { amountMinor, currency: currency ?? undefined, phoneNumber: reportedNumber(mobile) }
}

/** Our key rules it out, unless something is wrong with it: the sum is reported, which is not the requested amount. */
function paidTwice(payouts: readonly WavePayout[], exchange: Exchange): QueryOutcome {
  const paid = payouts.filter(({ status }) => status === 'succeeded')
  const reported = reportedTogether(paid.map(movementOf))
  return reported ? { kind: 'succeeded', reported, exchange } : unknownPayments(paid.length, exchange)
}

/** Of several payouts of one transfer, which Wave rules out, the one that moved money decides, then the one that may still. */
function rankOf({ status }: WavePayout): number {
  if (status === 'succeeded') return 0
  return status === 'failed' || status === 'reversed' ? 2 : 1
}

function isOk(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.httpStatus >= 200 && outcome.httpStatus <= 299
}
