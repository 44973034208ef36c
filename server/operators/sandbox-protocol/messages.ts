import { z } from 'zod'
import { CURRENCIES } from '#lib/money.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'

/** POST /v1/<operator>/transfers. Amounts are decimal strings: nothing on the way can round them. */
export const transferRequestSchema = z.object({
  reference: z.uuid(),
  direction: z.enum(TRANSACTION_TYPES),
  amount: z.string().regex(/^\d{1,10}(\.\d{1,2})?$/),
  currency: z.enum(CURRENCIES),
  phoneNumber: z.string().regex(/^\d{6,15}$/),
  customerName: z.string().max(400),
  /** Sent back in callbacks as it came. */
  context: z.string().max(100),
  callbackUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
})
export type TransferRequest = z.infer<typeof transferRequestSchema>

/** The answer to a submission and to a status query, and the body of a callback. */
export const transferSchema = z.object({
  reference: z.string(),
  status: z.enum(['PENDING', 'SUCCESS', 'FAILED']),
  message: z.string().optional(),
  operatorReference: z.string(),
  token: z.string().optional(),
  context: z.string(),
})
export type Transfer = z.infer<typeof transferSchema>

/** Any refusal: `code` says which. */
export const problemSchema = z.object({ code: z.string(), message: z.string() })

/** GET /v1/<operator>/balance. */
export const balanceSchema = z.object({ collect: z.string(), deposit: z.string(), currency: z.enum(CURRENCIES) })

export const operatorPathSchema = z.enum(OPERATOR_CODES)
