import { z } from 'zod'
import { type AnswerTable, failureReason, OUR_FAULT, outcomeOfCode, refused } from '../answer-table.ts'
import type { CodeRefusal, Exchange, FinalOutcome, QueryOutcome, StatusEnquiry, SubmitOutcome, UnknownOutcome } from '../connector.ts'
import { type CallOutcome, exchangeOf, notSentOrUnknown, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { identifierSchema, reportedAmountSchema, reportedNumber, reportedTogether, unknownPayments } from '../wire-formats.ts'

/** The messages that Sonatel sends. Ours are written out in the files that call. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(8_192),
  expires_in: z.coerce.number().positive().max(86_400),
})

export const keySchema = z.object({ key: z.string().min(1).max(4_096) })

/** A payment or a cash-in, in the answer to its submission and in a search. A search may say why one failed. */
const transactionSchema = z.object({
  transactionId: identifierSchema,
  status: z.string().min(1),
  reference: z.string().nullish(),
  code: identifierSchema,
  amount: z.object({ value: reportedAmountSchema, unit: z.string().nullish() }).nullish(),
  customer: z.object({ id: identifierSchema }).nullish(),
})
type SonatelTransaction = z.infer<typeof transactionSchema>

const transactionsSchema = z.array(transactionSchema)

/** A refusal (problem+json). Its `status` is that of HTTP. */
export const problemSchema = z.object({ code: z.union([z.string(), z.number()]).transform(String) })

export const qrSchema = z.object({
  qrId: z.string().min(1).max(60),
  deepLinks: z.object({ OM: z.url().optional(), MAXIT: z.url().optional() }),
})

export const balanceSchema = z.object({ unit: z.string(), value: z.union([z.string(), z.number()]).transform(String) })

export const callbackSchema = z.object({
  status: z.string(),
  metadata: z.object({ transaction: z.string(), application: z.string() }),
})

/** Sonatel's codes of a refusal, and the statuses of a payment or a cash-in that has failed. */
const SONATEL_ANSWERS: AnswerTable = {
  2000: refused('notRegistered'),
  2001: refused('invalidNumber'),
  // Our own PIN must be changed, is wrong, or our account is blocked. Each further try would bring the block nearer.
  2010: OUR_FAULT,
  2011: OUR_FAULT,
  2012: OUR_FAULT,
  2013: OUR_FAULT,
  2020: refused('insufficientFunds'),
  // On a cash-in it is our own balance.
  2021: refused('insufficientFunds'),
  2022: refused('other'),
  2023: refused('other'),
  2024: refused('other'),
  2025: refused('other'),
  2041: refused('other'),
  // We are not authorised.
  2042: OUR_FAULT,
  2043: refused('other'),
  4004: refused('operatorTimeout'),
  4099: refused('other'),
  FAILED: refused('other'),
  // Nothing but the status tells that the customer turned it down.
  REJECTED: refused('cancelledByCustomer'),
  CANCELLED: refused('cancelledByCustomer'),
}

/** About our own PIN: no call with it is made after one of these. */
export const PIN_REFUSALS: ReadonlySet<string> = new Set(['2010', '2011', '2012', '2013'])

/** The key that the PIN was encrypted with is no longer valid. Nothing was tried with it. */
export const KEY_REVOKED = '4003'

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
export function transactionsIn(outcome: CallOutcome, { reference }: Pick<StatusEnquiry, 'reference'>): SonatelTransaction[] | undefined {
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
