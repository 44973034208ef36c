import { z } from 'zod'
import { identifierSchema } from '#server/operators/wire-formats.ts'

/** The messages that Airtel sends. Ours are written out in create-airtel-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // Text in the documentation; a number in some replies.
  expires_in: z.coerce.number().positive().max(86_400),
})

/** An error of the gateway, and one of the router behind it. */
export const problemSchema = z.object({
  error: z.string().optional(),
  status_code: z.string().optional(),
  status_message: z.string().optional(),
})

/** Airtel names a code in one of several fields, and leaves out what it has nothing for. */
const statusSchema = z.object({
  message: z.string().nullish(),
  result_code: identifierSchema,
  response_code: identifierSchema,
  success: z.boolean().optional(),
})

const transactionSchema = z.object({
  // Published samples of a payment have `false`, and no id.
  id: z.union([z.boolean().transform(() => undefined), identifierSchema]),
  status: z.string().nullish(),
  airtel_money_id: identifierSchema,
  reference_id: identifierSchema,
})

/** The answer to a payment, a disbursement and a status query. Refusals come with HTTP 200 and without data. */
export const transferSchema = z.object({
  data: z.object({ transaction: transactionSchema.nullish() }).nullish(),
  status: statusSchema,
})
export type AirtelTransfer = z.infer<typeof transferSchema>

export const keySchema = z.object({ data: z.object({ key: z.string().min(1).max(4_096) }) })

/** Thousands are separated by commas. Version 2 may send a number. */
export const balanceSchema = z.object({
  data: z.object({ balance: z.union([z.string(), z.number()]), currency: z.string().optional() }),
  status: statusSchema.optional(),
})

export const userSchema = z.object({
  data: z.object({ is_barred: z.boolean().optional() }).nullish(),
  status: statusSchema,
})

/** The transaction keeps every field and their order, because the hash is over all of them. */
export const callbackSchema = z.object({ transaction: z.record(z.string(), z.unknown()), hash: z.string().optional() })
export const callbackTransactionSchema = z.object({ id: z.string(), status_code: z.string() })
