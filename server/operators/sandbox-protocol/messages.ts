import { z } from 'zod'
import { CURRENCIES, type Currency } from '#lib/money.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import { identifierSchema, reportedAmountSchema } from '#server/operators/wire-formats.ts'

/** POST /v1/<operator>/transfers. Amounts are decimal strings: nothing on the way can round them. */
export type TransferRequest = {
  reference: string
  direction: TransactionType
  amount: string
  currency: Currency
  phoneNumber: string
  customerName: string
  /** Sent back in callbacks as it came. */
  context: string
  callbackUrl: string | undefined
}

/** The answer to a submission and to a status query, and the body of a callback. */
export const transferSchema = z.object({
  reference: z.string(),
  status: z.enum(['PENDING', 'SUCCESS', 'FAILED']),
  message: z.string().optional(),
  operatorReference: z.string(),
  token: z.string().optional(),
  context: z.string(),
  /** The movement as the operator has it. A gateway may leave it out; then it is not compared. */
  amount: reportedAmountSchema,
  currency: z.string().nullish(),
  phoneNumber: identifierSchema,
})
export type Transfer = z.infer<typeof transferSchema>

/** Any refusal: `code` says which. */
export const problemSchema = z.object({ code: z.string(), message: z.string() })

/** GET /v1/<operator>/balance. */
export const balanceSchema = z.object({ collect: z.string(), deposit: z.string(), currency: z.enum(CURRENCIES) })
