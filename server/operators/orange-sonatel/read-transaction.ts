import { failureReason, outcomeOfCode } from '#server/operators/answer-table.ts'
import type {
  CodeRefusal,
  Exchange,
  FinalOutcome,
  QueryOutcome,
  StatusQuery,
  SubmitOutcome,
  UnknownOutcome,
} from '#server/operators/connector.ts'
import { type CallOutcome, exchangeOf } from '#server/operators/operator-call.ts'
import { notSentOrUnknown, readAnswer, unknownOutcome } from '#server/operators/read-answer.ts'
import { reportedNumber, reportedTogether, unknownPayments } from '#server/operators/wire-formats.ts'
import { KEY_REVOKED, SONATEL_ANSWERS } from './answers.ts'
import { problemSchema, type SonatelTransaction, transactionSchema, transactionsSchema } from './messages.ts'

const FAILED = new Set(['FAILED', 'REJECTED', 'CANCELLED'])
/** The outcome of the answer to a payment or a cash-in. */
export function submitOutcomeOf(outcome: CallOutcome, reference: string, wrongCodes: readonly string[]): SubmitOutcome | CodeRefusal {
  if (outcome.kind !== 'answered') return notSentOrUnknown(outcome)
  const exchange = exchangeOf(outcome)
  if (outcome.httpStatus >= 200 && outcome.httpStatus <= 299) {
    const transaction = readAnswer(outcome, transactionSchema)
    if (!transaction || (transaction.reference ?? reference) !== reference) return unknownOutcome(outcome)
    const judged = judge([transaction], exchange, { isNumberBound: true })
    return judged.kind === 'pending' ? { ...judged, kind: 'accepted' } : judged
  }
  const code = outcome.httpStatus >= 400 && outcome.httpStatus <= 499 ? readAnswer(outcome, problemSchema)?.code : undefined
  if (code !== undefined && wrongCodes.includes(code)) return { kind: 'wrong_code', operatorCode: code, exchange }
  if (code === KEY_REVOKED) return { kind: 'not_sent', detail: 'Sonatel has replaced the key of the PIN', exchange }
  return outcomeOfCode(SONATEL_ANSWERS, code, outcome)
}

/** The transactions in the answer to a search by our reference; undefined if the answer proves nothing. */
export function transactionsIn(outcome: CallOutcome, { reference }: Pick<StatusQuery, 'reference'>): SonatelTransaction[] | undefined {
  const isOk = outcome.kind === 'answered' && outcome.httpStatus === 200
  const found = isOk ? readAnswer(outcome, transactionsSchema) : undefined
  return found?.every((transaction) => transaction.reference === reference) ? found : undefined
}

type Judged = FinalOutcome | UnknownOutcome | Extract<QueryOutcome, { kind: 'pending' }>

/**
 * Judges the transactions with one reference together: one that is paid decides, and all must have failed before it has failed. Where two
 * are paid, the sum of both is reported, which is not the requested amount. `isNumberBound`: only our customer can have paid; a QR code can
 * be paid by anyone who scans it.
 */
export function judge(
  transactions: readonly SonatelTransaction[],
  exchange: Exchange,
  { isNumberBound }: { isNumberBound: boolean },
): Judged {
  const paid = paidOf(transactions)
  const [first] = paid
  if (first) {
    const movements = paid.map(({ amount, customer }) => ({
      amountMinor: amount?.value,
      currency: amount?.unit ?? undefined,
      phoneNumber: isNumberBound ? reportedNumber(customer?.id) : undefined,
    }))
    const reported = reportedTogether(movements)
    if (!reported) return unknownPayments(paid.length, exchange)
    return { kind: 'succeeded', ...identifierOf(first), reported, exchange }
  }
  const open = transactions.find(({ status }) => !FAILED.has(status))
  if (open) return { kind: 'pending', ...identifierOf(open), exchange }
  const last = transactions.at(-1)
  const operatorCode = last?.code ?? last?.status
  const reason = failureReason(SONATEL_ANSWERS, operatorCode)
  return { kind: 'failed', reason, operatorCode, ...(last && identifierOf(last)), exchange }
}

/** Each payment once. */
function paidOf(transactions: readonly SonatelTransaction[]): SonatelTransaction[] {
  const paid = transactions.filter(({ status }) => status === 'SUCCESS')
  return paid.filter(
    ({ transactionId }, place) => transactionId === undefined || paid.findIndex((one) => one.transactionId === transactionId) === place,
  )
}

function identifierOf({ transactionId }: SonatelTransaction): { operatorReference?: string } {
  return transactionId ? { operatorReference: transactionId } : {}
}
