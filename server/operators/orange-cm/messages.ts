import { z } from 'zod'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { type AnswerTable, answerOf, failureReason, KNOWN, OUR_FAULT, refused, UNKNOWN } from '../answer-table.ts'
import type { Exchange, FinalOutcome } from '../connector.ts'
import { type CallOutcome, readAnswer } from '../operator-http-client.ts'
import { reportedAmountSchema } from '../wire-formats.ts'

/** The messages that Orange sends. Ours are written out in create-orange-cm-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // The remaining lifetime: the same token is returned until it ends, and in its last second that is 0.
  expires_in: z.coerce.number().nonnegative().max(86_400),
})

/** Nothing that is kept may be cut or cleaned on the way: another form is not a payToken. */
export const initSchema = z.object({ data: z.object({ payToken: z.string().regex(/^[\w.-]{1,100}$/) }) })

/** Text, numbers and null are mixed in the replies that were seen. */
const text = z.union([z.string(), z.number()]).transform(String).nullish()

const paymentSchema = z.object({
  payToken: text,
  status: text,
  /** Repeats our orderId. */
  txnmode: text,
  txnid: text,
  inittxnstatus: text,
  confirmtxnstatus: text,
  subscriberMsisdn: text,
  amount: reportedAmountSchema,
})
export type OrangePayment = z.infer<typeof paymentSchema>

/** The answer to `pay` and `paymentstatus`; a refusal may have no data. An error of the gateway has neither, but `fault`. */
const paymentAnswerSchema = z.object({ message: text, data: paymentSchema.nullish() })
type OrangePaymentAnswer = z.infer<typeof paymentAnswerSchema>

export const subscriberSchema = z.object({
  message: text,
  data: z.object({ firstName: z.string().nullish(), lastName: z.string().nullish() }).nullish(),
})

export const notificationSchema = z.object({ payToken: z.string(), status: z.string() })

/** The ids that we put into the address for notifications. */
export const notificationAddressSchema = z.object({ transaction: z.uuid(), application: z.uuid() })

/**
 * The codes that are known, the statuses of a payment that has ended, and the fields that a refusal names. Every other code is unknown,
 * also with HTTP 417: Orange sends some while the payment goes on.
 */
export const ORANGE_CM_ANSWERS: AnswerTable = {
  // On a payout it is our own balance that is short.
  60019: refused('insufficientFunds'),
  // The order was used before.
  60041: KNOWN,
  // It is being processed.
  '00068': UNKNOWN,
  FAILED: refused('other'),
  CANCELLED: refused('cancelledByCustomer'),
  EXPIRED: refused('operatorTimeout'),
  'HTTP 400 msisdn': refused('invalidNumber'),
  'wrong PIN': OUR_FAULT,
  'wrong X-AUTH-TOKEN': OUR_FAULT,
}

/** Orange takes up to 20 characters. */
const TIME_DIGITS = 12
const REST_DIGITS = 8

/**
 * Orange's `orderId` for a reference of ours: the time with which it begins, so that people recognise it, and eight characters of
 * the rest. Nothing depends on it being unique: one payToken is one payment.
 */
export function orderIdOf(reference: string): string {
  const digits = reference.replaceAll('-', '')
  const rest = BigInt(`0x${digits.slice(TIME_DIGITS)}`) % 36n ** BigInt(REST_DIGITS)
  return digits.slice(0, TIME_DIGITS) + rest.toString(36).padStart(REST_DIGITS, '0')
}

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
