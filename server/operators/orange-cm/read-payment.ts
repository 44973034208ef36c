import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { Exchange, FinalOutcome } from '#server/operators/connector.ts'
import { failureReason } from '#server/operators/failure-table.ts'
import type { CallOutcome } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import { ORANGE_CM_FAILURES } from './failures.ts'
import { type OrangePayment, type OrangePaymentAnswer, paymentAnswerSchema } from './messages.ts'

/** Statuses of Orange, in the spelling that it uses; SUCCESS was seen elsewhere. */
const FAILED_STATUSES = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])
const SUCCESSFUL_STATUSES = new Set(['SUCCESSFULL', 'SUCCESS'])

/**
 * `initiated`: the payToken exists and nothing was paid with it. `refused`: the number is no number for Orange. `unreadable`: nothing is
 * known, also because the answer is about another payment.
 */
export type ReadPayment =
  | { kind: 'succeeded' | 'pending' | 'initiated'; payment: OrangePayment }
  | { kind: 'failed'; code: string | undefined; payment: OrangePayment | undefined }
  | { kind: 'refused_number' | 'unreadable' }

/** What an answer to `pay` or `paymentstatus` says about this payToken. */
export function readPayment(outcome: CallOutcome, payToken: string, orderId: string): ReadPayment {
  const answer = readAnswer(outcome, paymentAnswerSchema)
  if (outcome.kind !== 'answered' || !answer) return { kind: 'unreadable' }
  const payment = answer.data ?? undefined
  const isOther = payment && (payment.payToken !== payToken || (payment.txnmode && payment.txnmode !== orderId))
  if (isOther) return { kind: 'unreadable' }
  // 417 with a code in the message is how Orange refuses; all its data may be missing.
  const isRefusal = outcome.httpStatus === 417 && codeIn(answer.message) !== undefined
  if (isRefusal || (isRead(outcome.httpStatus) && FAILED_STATUSES.has(payment?.status ?? '')))
    return { kind: 'failed', code: codeOf(answer), payment }
  if (outcome.httpStatus === 400 && !payment && /msisdn/i.test(answer.message ?? '')) return { kind: 'refused_number' }
  if (outcome.httpStatus !== 200 || !payment?.status) return { kind: 'unreadable' }
  if (SUCCESSFUL_STATUSES.has(payment.status)) return { kind: 'succeeded', payment }
  return { kind: payment.status === 'INITIATED' ? 'initiated' : 'pending', payment }
}

/** The outcome of a payment that failed; `isUnregistered` if Orange says that the customer has no account. */
export function failedOutcome(code: string | undefined, isUnregistered: boolean, exchange: Exchange): FinalOutcome {
  const reason = isUnregistered ? FAILURE_MESSAGES.notRegistered : failureReason(ORANGE_CM_FAILURES, code)
  return { kind: 'failed', reason, operatorCode: code, exchange }
}

/** Whether the code says why: otherwise Orange is asked whether the customer has an account. */
export function isKnownCode(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(ORANGE_CM_FAILURES, code)
}

function isRead(httpStatus: number): boolean {
  return httpStatus === 200 || httpStatus === 417
}

/** The code of the step that failed; without one, the status. */
function codeOf({ message, data }: OrangePaymentAnswer): string | undefined {
  const steps = [data?.inittxnstatus, data?.confirmtxnstatus].filter((code) => code && code !== '200')
  const status = data?.status ?? undefined
  if (status === 'CANCELLED' || status === 'EXPIRED') return status
  return steps[0] ?? codeIn(message) ?? status
}

/** `60019 :: …` */
function codeIn(message: string | null | undefined): string | undefined {
  return /^(\d{3,8}) ::/.exec(message ?? '')?.[1]
}
