import type { Reversal, SubmitOutcome } from '../connector.ts'
import { type CallOutcome, exchangeOf, notSentOrUnknown, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { refusedReversal } from '../wire-formats.ts'
import { errorSchema, REVERSAL_REFUSALS } from './messages.ts'
import { queryPayout } from './payouts.ts'
import type { WaveClient } from './wave-client.ts'

const ID = { COLLECT: /^cos-[\w-]{1,100}$/, DEPOSIT: /^pt-[\w-]{1,100}$/ }

/** Refunds a checkout, or reverses a payout. Wave answers a repeated call like the first one and moves nothing again. */
export async function takeBack(client: WaveClient, reversal: Reversal): Promise<SubmitOutcome> {
  const { type, operatorReference, operatorReferenceOther, isRepeated, writeBeforeMs } = reversal
  const id = [operatorReference, operatorReferenceOther].find((name) => name !== undefined && ID[type].test(name))
  if (id === undefined) return notNamed
  const path = type === 'COLLECT' ? `/v1/checkout/sessions/${id}/refund` : `/v1/payout/${id}/reverse`
  const outcome = await client.post(path, {}, { headers: {}, writeBeforeMs })
  // The answer is empty, or an object: a page is not from Wave.
  if (outcome.kind === 'answered' && outcome.httpStatus === 200 && /^\s*(\{.*\}\s*)?$/s.test(outcome.body))
    return { kind: 'succeeded', exchange: exchangeOf(outcome) }
  const refusal = refusalOf(outcome)
  return isRepeated && refusal.kind === 'failed' ? afterRepetition(client, reversal, refusal) : refusal
}

function refusalOf(outcome: CallOutcome): SubmitOutcome {
  const isRefusal = outcome.kind === 'answered' && outcome.httpStatus >= 400 && outcome.httpStatus <= 499
  const error = isRefusal ? readAnswer(outcome, errorSchema) : undefined
  if (error === undefined) return notSentOrUnknown(outcome)
  return REVERSAL_REFUSALS.has(error.code) ? refusedReversal(error.code, error.message, exchangeOf(outcome)) : unknownOutcome(outcome)
}

/** The earlier call may have been carried out before the one that is refused now. Of a payout Wave says so; of a checkout it does not. */
async function afterRepetition(
  client: WaveClient,
  reversal: Reversal,
  refusal: Extract<SubmitOutcome, { kind: 'failed' }>,
): Promise<SubmitOutcome> {
  const { reason, operatorCode, exchange } = refusal
  const detail = 'The repeated reversal was refused; what became of the earlier one is not known'
  if (reversal.type === 'COLLECT') return { kind: 'unknown', detail, doubt: { kind: 'refused', reason, operatorCode }, exchange }
  const payout = await queryPayout(client, reversal)
  if (payout.kind === 'failed' && payout.operatorCode === 'reversed') return { kind: 'succeeded', exchange: payout.exchange }
  return payout.kind === 'succeeded' ? refusal : { kind: 'unknown', detail, exchange: payout.exchange }
}

const detail = "Wave's id of the payment is not known"
const notNamed: SubmitOutcome = { kind: 'not_sent', detail, exchange: { httpStatus: null, answer: detail } }
