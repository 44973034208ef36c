import { z } from 'zod'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { SIMULATED_ENDINGS } from '#lib/partner/partner-requests.ts'
import { RUN_VARIABLES } from '#lib/partner/reference.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'

/** A test transaction. The schema of the API reads amount and address once more. */
export const testTransactionSchema = z.object({
  type: z.enum(TRANSACTION_TYPES),
  operator: z.enum(OPERATOR_CODES),
  ending: z.enum(SIMULATED_ENDINGS),
  amount: z
    .string()
    .trim()
    .regex(/^\d{1,10}(\.\d{1,2})?$/),
  webhookUrl: z.string().trim().min(1).max(2_048),
})
export type TestTransactionInput = z.input<typeof testTransactionSchema>

/** A run of an example of the reference. The API reads the body, which the reader may have changed, as that of a program. */
export const exampleRunSchema = z.object({
  operation: z.string().min(1).max(100),
  body: z.string().max(65_536).nullable(),
  variables: z.partialRecord(z.enum(RUN_VARIABLES), z.uuid()),
})
export type ExampleRunInput = z.input<typeof exampleRunSchema>
