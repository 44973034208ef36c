import { z } from 'zod'
import { identifierSchema, reportedAmountSchema } from '#server/operators/wire-formats.ts'

/** The messages that Sonatel sends. Ours are written out in the files that call. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(8_192),
  expires_in: z.coerce.number().positive().max(86_400),
})

export const keySchema = z.object({ key: z.string().min(1).max(4_096) })

/** A payment or a cash-in, in the answer to its submission and in a search. A search may say why one failed. */
export const transactionSchema = z.object({
  transactionId: identifierSchema,
  status: z.string().min(1),
  reference: z.string().nullish(),
  code: identifierSchema,
  amount: z.object({ value: reportedAmountSchema, unit: z.string().nullish() }).nullish(),
  customer: z.object({ id: identifierSchema }).nullish(),
})
export type SonatelTransaction = z.infer<typeof transactionSchema>

export const transactionsSchema = z.array(transactionSchema)

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
