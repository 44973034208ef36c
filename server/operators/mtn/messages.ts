import { z } from 'zod'
import { identifierSchema, reportedAmountSchema } from '#server/operators/wire-formats.ts'

/** The messages that MTN sends. Ours are written out in create-mtn-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // A number in the documentation; some gateways send text.
  expires_in: z.coerce.number().positive().max(86_400),
})

/** Text in today's replies; an object in callbacks and in the published schema. */
const reasonSchema = z.union([z.string(), z.object({ code: z.string(), message: z.string().nullish() })])

const partySchema = z.object({ partyId: identifierSchema }).nullish()

/** The answer to a status query, and the body of a callback. */
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

export const balanceSchema = z.object({ availableBalance: z.string(), currency: z.string() })

export const activeSchema = z.object({ result: z.boolean() })
