import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { Exchange, FinalOutcome } from '#server/operators/connector.ts'
import { answerOf, failureReason } from '#server/operators/answer-table.ts'
import type { CallOutcome } from '#server/operators/operator-call.ts'
import { readAnswer } from '#server/operators/read-answer.ts'
import { ORANGE_CM_ANSWERS } from './answers.ts'
import { type OrangePayment, type OrangePaymentAnswer, paymentAnswerSchema } from './messages.ts'

/** Statuses of Orange, in the spelling that it uses; SUCCESS was seen elsewhere. */
const FAILED_STATUSES = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])
const SUCCESSFUL_STATUSES = new Set(['SUCCESSFULL', 'SUCCESS'])

/**
 * `initiated`: the payToken exists and nothing was paid with it. `refused`: Orange names a code and no payment, so the table of its answers
 * decides. `unreadable`: nothing is known, also because the answer is about another payment.
 */
export type ReadPayment =
  | { kind: 'succeeded' | 'pending' | 'initiated'; payment: OrangePayment }
  | { kind: 'failed'; code: string | undefined; payment: OrangePayment | undefined }
  | { kind: 'refused'; code: string }
  | { kind: 'unreadable' }

/** Reads an answer to `pay` or `paymentstatus` about this payToken. */
export function readPayment(outcome: CallOutcome, payToken: string, orderId: string): ReadPayment {
  const answer = readAnswer(outcome, paymentAnswerSchema)
  if (outcome.kind !== 'answered' || !answer) return { kind: 'unreadable' }
  const { httpStatus } = outcome
  const payment = answer.data ?? undefined
  const isOther = payment && (payment.payToken !== payToken || (payment.txnmode && payment.txnmode !== orderId))
  if (isOther) return { kind: 'unreadable' }
  const status = payment?.status ?? ''
  // With 417 only FAILED is believed: Orange also sends it for what goes on.
  const isEnded = httpStatus === 417 ? status === 'FAILED' : httpStatus === 200 && FAILED_STATUSES.has(status)
  if (isEnded) return { kind: 'failed', code: codeOf(answer), payment }
  const refusal = status === '' ? refusalIn(httpStatus, answer.message ?? '') : undefined
  if (refusal !== undefined) return { kind: 'refused', code: refusal }
  if (httpStatus !== 200 || !payment || status === '') return { kind: 'unreadable' }
  if (SUCCESSFUL_STATUSES.has(status)) return { kind: 'succeeded', payment }
  return { kind: status === 'INITIATED' ? 'initiated' : 'pending', payment }
}

/** The code of a refusal without a payment, as the table has it. */
function refusalIn(httpStatus: number, message: string): string | undefined {
  if (httpStatus === 401) return /x-auth-token/i.test(message) ? 'wrong X-AUTH-TOKEN' : undefined
  if (httpStatus !== 400 && httpStatus !== 417) return undefined
  if (/\bpin\b/i.test(message)) return 'wrong PIN'
  if (httpStatus === 417) return codeIn(message)
  return /subscriberMsisdn/i.test(message) ? 'HTTP 400 msisdn' : undefined
}

/** The outcome of a payment that failed; `isUnregistered` if Orange says that the customer has no account. */
export function failedOutcome(code: string | undefined, isUnregistered: boolean, exchange: Exchange): FinalOutcome {
  const reason = isUnregistered ? FAILURE_MESSAGES.notRegistered : failureReason(ORANGE_CM_ANSWERS, code)
  return { kind: 'failed', reason, operatorCode: code, exchange }
}

/** Whether the code says why: otherwise a query to Orange says whether the customer has an account. */
export function saysWhy(code: string | undefined): boolean {
  const answer = answerOf(ORANGE_CM_ANSWERS, code)
  return answer.outcome === 'failed' && answer.reason !== 'other'
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
