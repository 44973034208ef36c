import { FAILURE_MESSAGES, type TransactionType } from '#lib/transaction-status.ts'
import { failureReason, faultOutcome, outcomeOfCode } from '#server/operators/answer-table.ts'
import type { Exchange, FinalOutcome, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { type CallOutcome, exchangeOf } from '#server/operators/operator-call.ts'
import { readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import { AIRTEL_ANSWERS, UNDER_WAY, UNKNOWN_ID } from './answers.ts'
import { type AirtelTransfer, problemSchema, transferSchema } from './messages.ts'

/** `result_code` of a number that does not have nine digits, beside the response code of any bad field. */
const INVALID_MSISDN = '521002'
const BAD_FIELD = 'DP00900001013'

/** The outcome of the answer to a payment or a disbursement. Refusals come with HTTP 200, and were seen with HTTP 400. */
export function submitOutcomeOf(outcome: CallOutcome, id: string, type: TransactionType): SubmitOutcome {
  const transfer = transferIn(outcome, [200, 400])
  if (!transfer) return outcomeOfProblem(outcome, type)
  const exchange = exchangeOf(outcome)
  const { transaction } = transfer.data ?? {}
  if (transaction?.id && transaction.id !== id) return unknownOutcome(outcome)
  if (transaction?.id === id && transaction.status === 'TS') return { kind: 'succeeded', ...identifiersOf(transfer), exchange }
  if (transaction?.status === 'TA') return unknownOutcome(outcome)
  const code = codeOf(transfer)
  if (code !== undefined && UNDER_WAY.has(code)) return { kind: 'accepted', exchange }
  const { message, success } = transfer.status
  const isRefused = success !== true || transaction?.status === 'TF'
  if (!isRefused) return isListed(code) ? unknownOutcome(outcome) : { kind: 'accepted', exchange }
  const isUndecided = code === BAD_FIELD || !isListed(code)
  if (isUndecided && isAboutOurPin(message, type)) return faultOutcome(`Airtel refuses our PIN or key: ${message}`, outcome)
  const result = outcomeOfCode(AIRTEL_ANSWERS, code, outcome)
  return result.kind === 'failed' ? failure(transfer, exchange) : result
}

function outcomeOfProblem(outcome: CallOutcome, type: TransactionType): SubmitOutcome {
  const { status_code: code, status_message: message } = readAnswer(outcome, problemSchema) ?? {}
  if (isAboutOurPin(message, type)) return faultOutcome(`Airtel refuses our PIN or key: ${message}`, outcome)
  return outcomeOfCode(AIRTEL_ANSWERS, code, outcome)
}

/** The outcome of the answer to a status query: the status of the transaction decides, its code only says why. */
export function queryOutcomeOf(outcome: CallOutcome, id: string): QueryOutcome {
  const transfer = transferIn(outcome, [200])
  if (!transfer) return unknownOutcome(outcome)
  const exchange = exchangeOf(outcome)
  const { transaction } = transfer.data ?? {}
  const code = codeOf(transfer)
  if (!transaction?.id && code !== undefined && UNKNOWN_ID.has(code)) return { kind: 'not_found', exchange }
  if (transaction?.id !== id || !transaction.status) return unknownOutcome(outcome)
  switch (transaction.status) {
    case 'TS':
      return { kind: 'succeeded', ...identifiersOf(transfer), exchange }
    case 'TF':
      return failure(transfer, exchange)
    case 'TE':
      return { kind: 'failed', reason: FAILURE_MESSAGES.operatorTimeout, operatorCode: code ?? 'TE', exchange }
    default:
      // TIP, and TA: Airtel has it and does not know yet.
      return { kind: 'pending', exchange }
  }
}

function transferIn(outcome: CallOutcome, statuses: readonly number[]): AirtelTransfer | undefined {
  return outcome.kind === 'answered' && statuses.includes(outcome.httpStatus) ? readAnswer(outcome, transferSchema) : undefined
}

function failure(transfer: AirtelTransfer, exchange: Exchange): FinalOutcome {
  const code = codeOf(transfer)
  const isInvalidMsisdn = code === BAD_FIELD && transfer.status.result_code === INVALID_MSISDN
  const reason = isInvalidMsisdn ? FAILURE_MESSAGES.invalidNumber : failureReason(AIRTEL_ANSWERS, code)
  return { kind: 'failed', reason, operatorCode: code, ...identifiersOf(transfer), exchange }
}

/** Airtel has no code of its own for it: `Incorrect Encrypted Pin`. Of a payment the PIN is the customer's. */
function isAboutOurPin(message: string | null | undefined, type: TransactionType): boolean {
  return type === 'DEPOSIT' && /\bpin\b|\bkey\b|encrypt|decrypt/i.test(message ?? '')
}

function isListed(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(AIRTEL_ANSWERS, code)
}

/** `response_code` decides: it came together with a `result_code` of another meaning. */
function codeOf({ status: { response_code, result_code } }: AirtelTransfer): string | undefined {
  return response_code || result_code || undefined
}

/** Disbursements name the same reference in another field. */
function identifiersOf({ data }: AirtelTransfer): { operatorReference?: string | undefined } {
  const { reference_id, airtel_money_id } = data?.transaction ?? {}
  return { operatorReference: reference_id ?? airtel_money_id }
}
