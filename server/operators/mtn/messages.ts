import { z } from 'zod'
import { type AnswerTable, ended, KNOWN, OUR_FAULT, refused, UNKNOWN } from '../answer-table.ts'
import { identifierSchema, reportedAmountSchema } from '../wire-formats.ts'

/** The messages that MTN sends. Ours are written out in mtn-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // A number in the documentation; some gateways send text.
  expires_in: z.coerce.number().positive().max(86_400),
})

/** Text in today's replies; an object in callbacks and in the published schema. */
const reasonSchema = z.union([z.string(), z.object({ code: z.string(), message: z.string().nullish() })])

const partySchema = z.object({ partyId: identifierSchema }).nullish()

/** The answer to a status enquiry, and the body of a callback. */
export const transferSchema = z.object({
  status: z.string(),
  externalId: z.string(),
  financialTransactionId: identifierSchema,
  reason: reasonSchema.nullish(),
  amount: reportedAmountSchema,
  currency: z.string().nullish(),
  payer: partySchema,
  payee: partySchema,
})
export type MtnTransfer = z.infer<typeof transferSchema>

/** An error of the MoMo core. The gateway before it has another shape, `statusCode` and `message`, and proves nothing about a transfer. */
export const errorSchema = z.object({ code: z.string(), message: z.string().nullish() })

/** The statuses with which MTN's core refuses. */
export const REFUSALS: ReadonlySet<number> = new Set([400, 409, 500])

/** The answer to a query about a refund. */
export const refundSchema = z.object({
  status: z.string(),
  externalId: z.string(),
  reason: reasonSchema.nullish(),
  amount: reportedAmountSchema,
  currency: z.string().nullish(),
})

/** The code of a failure. */
export function reasonOf({ reason }: Pick<MtnTransfer, 'reason'>): string | undefined {
  return typeof reason === 'string' ? reason : reason?.code
}

export const balanceSchema = z.object({ availableBalance: z.string(), currency: z.string() })

export const activeSchema = z.object({ result: z.boolean() })

export const basicUserSchema = z.object({ given_name: z.string().nullish(), family_name: z.string().nullish() })

/** MTN's codes, for both directions: of HTTP 400, 409 and 500, and as the reason of a transfer that failed. */
export const MTN_ANSWERS: AnswerTable = {
  // Of HTTP 400: a field is malformed, and nothing was created.
  BAD_REQUEST: refused('other'),
  RESOURCE_ALREADY_EXIST: KNOWN,
  // On a payout it is our own balance that is short, or the receiver's limit.
  NOT_ENOUGH_FUNDS: refused('insufficientFunds'),
  PAYER_NOT_FOUND: refused('notRegistered'),
  PAYEE_NOT_FOUND: refused('notRegistered'),
  PAYER_LIMIT_REACHED: refused('other'),
  PAYEE_NOT_ALLOWED_TO_RECEIVE: refused('other'),
  SENDER_ACCOUNT_NOT_ACTIVE: refused('other'),
  // MTN has blocked us, or a setting of ours is wrong.
  NOT_ALLOWED: OUR_FAULT,
  NOT_ALLOWED_TARGET_ENVIRONMENT: OUR_FAULT,
  INVALID_CALLBACK_URL_HOST: OUR_FAULT,
  INVALID_CURRENCY: OUR_FAULT,
  // Outcomes of a transfer after it was accepted.
  APPROVAL_REJECTED: ended('cancelledByCustomer'),
  PAYMENT_NOT_APPROVED: ended('cancelledByCustomer'),
  TRANSACTION_CANCELED: ended('cancelledByCustomer'),
  EXPIRED: ended('operatorTimeout'),
  // The customer entered no PIN within five minutes.
  COULD_NOT_PERFORM_TRANSACTION: ended('operatorTimeout'),
  INTERNAL_PROCESSING_ERROR: UNKNOWN,
  SERVICE_UNAVAILABLE: UNKNOWN,
}

const VERSION_PLACE = 14

/**
 * MTN's `X-Reference-Id` for a reference of ours, which begins with its time (version 7): MTN refuses every version but 4. Only the digit
 * of the version differs, so that people recognise it; no two references differ in that digit alone.
 */
export function mtnReference(reference: string): string {
  return `${reference.slice(0, VERSION_PLACE)}4${reference.slice(VERSION_PLACE + 1)}`
}
