import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { CodeRefusal, Exchange, FinalOutcome, QueryOutcome, StatusQuery, SubmitOutcome } from '#server/operators/connector.ts'
import { failureReason } from '#server/operators/failure-table.ts'
import { type CallOutcome, exchangeOf } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import { KEY_REVOKED, SONATEL_FAILURES } from './failures.ts'
import { problemSchema, type SonatelTransaction, transactionSchema, transactionsSchema } from './messages.ts'

const FAILED = new Set(['FAILED', 'REJECTED', 'CANCELLED'])
/** Refusals of the gateway and of a server that is busy: they say nothing of the transaction. */
const UNDECIDED_HTTP = new Set([401, 403, 408, 429])

/** What the answer to a payment or a cash-in means. */
export function submitOutcomeOf(outcome: CallOutcome, reference: string, wrongCodes: readonly string[]): SubmitOutcome | CodeRefusal {
  if (outcome.kind !== 'answered') return notSentOrUnknown(outcome)
  const exchange = exchangeOf(outcome)
  if (outcome.httpStatus >= 200 && outcome.httpStatus <= 299) {
    const transaction = readAnswer(outcome, transactionSchema)
    if (!transaction || (transaction.reference ?? reference) !== reference) return unknownOutcome(outcome)
    const judged = judge([transaction], exchange)
    return judged.kind === 'pending' ? { ...judged, kind: 'accepted' } : judged
  }
  const code = outcome.httpStatus >= 400 && outcome.httpStatus <= 499 ? readAnswer(outcome, problemSchema)?.code : undefined
  const isDecided = code !== undefined && (Object.hasOwn(SONATEL_FAILURES, code) || !UNDECIDED_HTTP.has(outcome.httpStatus))
  // With a revoked key nothing was tried: it is sent again when two searches have not found it.
  if (!isDecided || code === KEY_REVOKED) return unknownOutcome(outcome)
  if (wrongCodes.includes(code)) return { kind: 'wrong_code', operatorCode: code, exchange }
  return { kind: 'failed', reason: failureReason(SONATEL_FAILURES, code), operatorCode: code, exchange }
}

/** The transactions in the answer to a search by our reference; undefined if the answer proves nothing. */
export function transactionsIn(outcome: CallOutcome, { reference }: Pick<StatusQuery, 'reference'>): SonatelTransaction[] | undefined {
  const isOk = outcome.kind === 'answered' && outcome.httpStatus === 200
  const found = isOk ? readAnswer(outcome, transactionsSchema) : undefined
  return found?.every((transaction) => transaction.reference === reference) ? found : undefined
}

/** What transactions with one reference mean together: one that is paid decides, and all must have failed before it has failed. */
export function judge(
  transactions: readonly SonatelTransaction[],
  exchange: Exchange,
): FinalOutcome | Extract<QueryOutcome, { kind: 'pending' }> {
  const paid = transactions.find(({ status }) => status === 'SUCCESS')
  if (paid) return { kind: 'succeeded', ...identifierOf(paid), exchange }
  const open = transactions.find(({ status }) => !FAILED.has(status))
  if (open) return { kind: 'pending', ...identifierOf(open), exchange }
  const last = transactions.at(-1)
  const operatorCode = last?.code ?? last?.status
  // Nothing but the status tells that the customer turned it down.
  const reason = operatorCode === 'CANCELLED' || operatorCode === 'REJECTED' ? FAILURE_MESSAGES.cancelledByCustomer : undefined
  return {
    kind: 'failed',
    reason: reason ?? failureReason(SONATEL_FAILURES, operatorCode),
    operatorCode,
    ...(last && identifierOf(last)),
    exchange,
  }
}

function identifierOf({ transactionId }: SonatelTransaction): { operatorReference?: string } {
  return transactionId ? { operatorReference: transactionId } : {}
}
