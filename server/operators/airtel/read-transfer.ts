import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { Exchange, FinalOutcome, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { failureReason } from '#server/operators/failure-table.ts'
import { type CallOutcome, exchangeOf } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import { AIRTEL_FAILURES, INVALID_MSISDN, KNOWN_ID, UNDECIDED, UNDER_WAY, UNKNOWN_ID } from './failures.ts'
import { type AirtelTransfer, transferSchema } from './messages.ts'

/** What the answer to a payment or a disbursement means. Refusals come with HTTP 200. */
export function submitOutcomeOf(outcome: CallOutcome, id: string): SubmitOutcome {
  const transfer = transferIn(outcome)
  if (!transfer) return notSentOrUnknown(outcome)
  const exchange = exchangeOf(outcome)
  const codes = codesOf(transfer)
  // An earlier submission of this id arrived. Its data may be that of the first one, so the query decides.
  if (codes.some((code) => KNOWN_ID.has(code))) return { kind: 'accepted', exchange }
  const { transaction } = transfer.data ?? {}
  if (transaction?.id && transaction.id !== id) return unknownOutcome(outcome)
  if (transaction?.id === id && transaction.status === 'TS') return { kind: 'succeeded', ...identifiersOf(transfer), exchange }
  if (codes.some((code) => UNDECIDED.has(code))) return unknownOutcome(outcome)
  if (transaction?.status === 'TA') return unknownOutcome(outcome)
  if (codes.some((code) => UNDER_WAY.has(code))) return { kind: 'accepted', exchange }
  if (transaction?.status === 'TF' || (transfer.status.success === false && codes.length > 0)) return failure(transfer, exchange)
  return transfer.status.success ? { kind: 'accepted', exchange } : unknownOutcome(outcome)
}

/** What the answer to an enquiry means: the status of the transaction decides, its code only says why. */
export function queryOutcomeOf(outcome: CallOutcome, id: string): QueryOutcome {
  const transfer = transferIn(outcome)
  if (!transfer) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  const { transaction } = transfer.data ?? {}
  if (!transaction?.id && codesOf(transfer).some((code) => UNKNOWN_ID.has(code))) return { kind: 'not_found', exchange }
  if (transaction?.id !== id || !transaction.status) return unknownOutcome(outcome)
  switch (transaction.status) {
    case 'TS':
      return { kind: 'succeeded', ...identifiersOf(transfer), exchange }
    case 'TF':
      return failure(transfer, exchange)
    case 'TE':
      return { kind: 'failed', reason: FAILURE_MESSAGES.operatorTimeout, operatorCode: codesOf(transfer)[0] ?? 'TE', exchange }
    default:
      // TIP, and TA: Airtel has it and does not know yet.
      return { kind: 'pending', exchange }
  }
}

function transferIn(outcome: CallOutcome): AirtelTransfer | undefined {
  return outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, transferSchema) : undefined
}

function failure(transfer: AirtelTransfer, exchange: Exchange): FinalOutcome {
  const { response_code, result_code } = transfer.status
  const reason =
    result_code === INVALID_MSISDN ? FAILURE_MESSAGES.invalidNumber : failureReason(AIRTEL_FAILURES, response_code ?? undefined)
  return { kind: 'failed', reason, operatorCode: response_code || result_code || undefined, ...identifiersOf(transfer), exchange }
}

/** `response_code` before `result_code`, which is deprecated. */
function codesOf({ status: { response_code, result_code } }: AirtelTransfer): string[] {
  return [response_code, result_code].flatMap((code) => (code ? [code] : []))
}

/** Disbursements name the same reference in another field. */
function identifiersOf({ data }: AirtelTransfer): { operatorReference?: string } {
  const { reference_id, airtel_money_id } = data?.transaction ?? {}
  return { operatorReference: reference_id || airtel_money_id || undefined }
}
