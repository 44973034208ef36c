import type { Reversal, SubmitOutcome } from '../connector.ts'
import { exchangeOf, notSentOrUnknown, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import type { ConnectorContext } from '../settings/protocol.ts'
import { refusedReversal } from '../wire-formats.ts'
import type { AirtelClient } from './airtel-client.ts'
import { REFUND_REFUSALS, refundSchema } from './messages.ts'

/**
 * Refunds a whole collect. Airtel takes nothing but its own id of the payment: there is no reference of the refund, and no query about it, so nothing says
 * what became of a call without an answer.
 */
export async function refund(client: AirtelClient, context: ConnectorContext, reversal: Reversal): Promise<SubmitOutcome> {
  const { operatorReference, writeBeforeMs } = reversal
  if (operatorReference === undefined) return notNamed
  const outcome = await client.call({
    method: 'POST',
    path: '/standard/v1/payments/refund',
    headers: {},
    body: JSON.stringify({ transaction: { airtel_money_id: operatorReference } }),
    timeoutMs: context.submitTimeoutMs,
    writeBeforeMs,
  })
  if (outcome.kind !== 'answered') return notSentOrUnknown(outcome)
  const answer = outcome.httpStatus === 200 ? readAnswer(outcome, refundSchema) : undefined
  if (!answer) return unknownOutcome(outcome)
  const { success, message, response_code, result_code } = answer.status
  const exchange = exchangeOf(outcome)
  const isAboutIt = answer.data?.transaction?.airtel_money_id === operatorReference
  if (success === true) return isAboutIt ? { kind: 'succeeded', exchange } : unknownOutcome(outcome)
  const code = response_code ?? result_code
  return code !== undefined && REFUND_REFUSALS.has(code) ? refusedReversal(code, message, exchange) : unknownOutcome(outcome)
}

const detail = "Airtel's id of the payment is not known"
const notNamed: SubmitOutcome = { kind: 'not_sent', detail, exchange: { httpStatus: null, answer: detail } }
