import { z } from 'zod'
import { type AnswerTable, ended, OUR_FAULT, refused, UNKNOWN } from '../answer-table.ts'
import { identifierSchema, reportedAmountSchema } from '../wire-formats.ts'

/** The messages that Wave sends. Ours are written out in the files that call. */
export const sessionSchema = z.object({
  id: z.string().min(1),
  client_reference: z.string().nullish(),
  checkout_status: z.string(),
  payment_status: z.string(),
  transaction_id: identifierSchema,
  wave_launch_url: z.string(),
  when_expires: z.iso.datetime({ offset: true }).nullish(),
  last_payment_error: z.object({ code: z.string() }).nullish(),
  amount: reportedAmountSchema,
  currency: z.string().nullish(),
  restrict_payer_mobile: identifierSchema,
})
export type WaveSession = z.infer<typeof sessionSchema>

export const payoutSchema = z.object({
  id: z.string().min(1),
  client_reference: z.string().nullish(),
  transaction_id: identifierSchema,
  status: z.string(),
  receive_amount: reportedAmountSchema,
  currency: z.string().nullish(),
  mobile: identifierSchema,
  payout_error: z.object({ error_code: z.string() }).nullish(),
})
export type WavePayout = z.infer<typeof payoutSchema>

export const sessionsSchema = z.object({ result: z.array(sessionSchema) })
export const payoutsSchema = z.object({ result: z.array(payoutSchema) })

export const balanceSchema = z.object({ amount: z.string(), currency: z.string() })

const cellSchema = z
  .string()
  .max(200)
  .nullish()
  .transform((text) => text ?? '')

/** A page of the list of a day. `after` of the next request is the cursor at its end. */
export const dayListSchema = z.object({
  date: z.string(),
  page_info: z.object({ end_cursor: z.string().min(1).max(500).nullish(), has_next_page: z.boolean() }),
  items: z.array(
    z.object({
      timestamp: z.string().max(40),
      transaction_id: z.string().min(1).max(200),
      transaction_type: z.string().max(200),
      is_reversal: z.boolean().nullish(),
      amount: z.string().max(40),
      fee: cellSchema,
      balance: cellSchema,
      currency: z.string().max(10),
      counterparty_mobile: cellSchema,
      client_reference: cellSchema,
    }),
  ),
})

export const errorSchema = z.object({
  code: z.string(),
  message: z.string().optional(),
  details: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).optional(), msg: z.string().optional() })).optional(),
})

/** `data` of a checkout event is the session. Other events hold other things. */
export const eventSchema = z.object({ type: z.string(), data: z.unknown() })

/** Codes with which Wave refuses a refund or a reversal. Any other one is unknown. */
export const REVERSAL_REFUSALS: ReadonlySet<string> = new Set([
  'payout-reversal-time-limit-exceeded',
  'payout-reversal-account-terminated',
  'payout-reversal-failed',
  'checkout-refund-failed',
  'checkout-session-not-found',
  'insufficient-funds',
  'not-found',
])

/** Wave's codes: of a refused request, of `last_payment_error` and of `payout_error`. */
export const WAVE_ANSWERS: AnswerTable = {
  'request-validation-error': refused('other'),
  // Of a checkout: the customer's balance. Of a payout: our own wallet's.
  'insufficient-funds': refused('insufficientFunds'),
  'recipient-account-inactive': refused('notRegistered'),
  'recipient-limit-exceeded': refused('other'),
  'recipient-account-blocked': refused('other'),
  'recipient-minor': refused('other'),
  'country-mismatch': refused('other'),
  'currency-mismatch': refused('other'),
  'invalid-aggregated-merchant-id': refused('other'),
  'aggregated-merchant-required': refused('other'),
  // The key was used with another body: what that one became is not known.
  'idempotency-mismatch': UNKNOWN,
  // Our API key or our wallet.
  'missing-auth-header': OUR_FAULT,
  'invalid-auth': OUR_FAULT,
  'api-key-not-provided': OUR_FAULT,
  'no-matching-api-key': OUR_FAULT,
  'api-key-revoked': OUR_FAULT,
  'invalid-wallet': OUR_FAULT,
  'disabled-wallet': OUR_FAULT,
  'unauthorized-wallet': OUR_FAULT,
  'authorization-error': OUR_FAULT,
  // Why a try to pay a checkout failed, and why a payout ended.
  cancelled: ended('cancelledByCustomer'),
  reversed: ended('other'),
  'payer-mobile-mismatch': ended('invalidNumber'),
  'service-unavailable': ended('operatorTimeout'),
  'blocked-account': ended('other'),
  'cross-border-payment-not-allowed': ended('other'),
  'customer-age-restricted': ended('other'),
  'kyb-limits-exceeded': ended('other'),
  'payment-failure': ended('other'),
}
