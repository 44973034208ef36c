import { z } from 'zod'
import { identifierSchema, reportedAmountSchema } from '#server/operators/wire-formats.ts'

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

export const errorSchema = z.object({
  code: z.string(),
  message: z.string().optional(),
  details: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).optional(), msg: z.string().optional() })).optional(),
})

/** `data` of a checkout event is the session. Other events hold other things. */
export const eventSchema = z.object({ type: z.string(), data: z.unknown() })
