import { z } from 'zod'
import { APPROVAL_QUEUES, APPROVAL_SORTS, BULK_MAX } from '#lib/approvals.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { isUtcDay } from '#lib/time.ts'
import { addressAmount } from './address-amount.ts'

const day = z.string().refine(isUtcDay).nullable().default(null)

/** The filters of the approval queues as they stand in the address. Every field has a default; read-address.ts says what is forgiven. */
export const approvalFilterSchema = z.object({
  queue: z.enum(APPROVAL_QUEUES).default('mine'),
  operator: z.enum(OPERATOR_CODES).nullable().default(null),
  min: addressAmount,
  max: addressAmount,
  /** A person, or `api` for what the application's program made. */
  maker: z
    .union([z.uuid(), z.literal('api')])
    .nullable()
    .default(null),
  rule: z.string().trim().max(1_000).default(''),
  /** Decided queue only: who decided, and from which day to which, both included. */
  checker: z.uuid().nullable().default(null),
  from: day,
  to: day,
  sort: z.enum(APPROVAL_SORTS).default('oldest'),
  /** From 0, also in the address. */
  page: z.coerce.number().int().min(0).max(100_000).default(0),
})
export type ApprovalFilter = z.output<typeof approvalFilterSchema>

/** What the browser sends to decide: exactly what was listed, with the hash of what was shown of each. */
export const decisionSchema = z.object({
  decision: z.enum(['validated', 'rejected']),
  note: z.string().trim().min(1, 'form.field.required').max(500, 'form.field.required'),
  code: z.string().trim().max(20).optional(),
  items: z
    .array(z.object({ transactionId: z.uuid(), contentHash: z.string().regex(/^[0-9a-f]{64}$/) }))
    .min(1)
    .max(BULK_MAX),
})

/** What the browser sends to take a waiting transaction back. */
export const recallSchema = z.object({
  transactionId: z.uuid(),
  reason: z.string().trim().min(1, 'form.field.required').max(500, 'form.field.required'),
})
