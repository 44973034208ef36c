import { z } from 'zod'
import { APPROVAL_QUEUES, APPROVAL_SORTS, BULK_MAX } from '#lib/approvals/approvals.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { REFUND_FILTERS } from '#lib/payments/refunds.ts'
import {
  FAILED_ENDS,
  FAILURE_REASONS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  WEBHOOK_STATES,
} from '#lib/payments/transactions/transaction-status.ts'
import { isUtcDay, isUtcInstant } from '#lib/time/time.ts'
import { addressAmount, listOf, pageFromOne } from './read-address.ts'

const PAGE_SIZES = [25, 50, 100] as const
const DEFAULT_PAGE_SIZE = 50

const day = z.string().refine(isUtcDay).nullable().default(null)

const instant = z.string().refine(isUtcInstant).nullable().default(null)

/** The filters of the transaction list as in its address. Every field has a default; read-address.ts defines what is ignored. */
export const transactionFilterSchema = z.object({
  status: listOf(TRANSACTION_STATUSES),
  type: listOf(TRANSACTION_TYPES),
  operator: listOf(OPERATOR_CODES),
  country: listOf(COUNTRY_NAMES),
  currency: listOf(CURRENCIES),
  from: day,
  to: day,
  min: addressAmount,
  max: addressAmount,
  phone: z
    .string()
    .transform((text) => text.replace(/\D/g, '').slice(0, 15))
    .default(''),
  name: z.string().trim().max(100).default(''),
  batch: z.uuid().nullable().default(null),
  // A person, or every program.
  maker: z
    .union([z.uuid(), z.literal('api')])
    .nullable()
    .default(null),
  reason: listOf(FAILURE_REASONS),
  // Failed, and how: at the operator, or by which decision.
  ended: z.enum(FAILED_ENDS).nullable().default(null),
  refund: z.enum(REFUND_FILTERS).nullable().default(null),
  unconfirmed: z.literal('1').nullable().default(null),
  // Unconfirmed since this instant or later, and before that one: how the overview's ages open their list.
  unconfirmedAfter: instant,
  unconfirmedBefore: instant,
  // The state of the webhook; narrowed by its receiver, and by when it ended (from inclusive, to exclusive).
  webhook: z.enum(WEBHOOK_STATES).nullable().default(null),
  webhookTarget: z
    .string()
    .max(2000)
    .regex(/^[a-z]+:\/\/[^\s/]+$/)
    .nullable()
    .default(null),
  webhookAfter: instant,
  webhookBefore: instant,
  // Shows the fees and their sum.
  fees: z.literal('1').nullable().default(null),
  sort: z.enum(['newest', 'oldest', 'amount-desc', 'amount-asc']).default('newest'),
  page: pageFromOne(1_000_000_000),
  size: z.coerce
    .number()
    .int()
    .refine((size) => PAGE_SIZES.some((one) => one === size))
    .default(DEFAULT_PAGE_SIZE),
})
export type TransactionFilter = z.output<typeof transactionFilterSchema>

/** Returns the operators that match the filters by operator, country and currency, or null if none of them is set. */
export function filteredOperators(filter: Pick<TransactionFilter, 'operator' | 'country' | 'currency'>): OperatorCode[] | null {
  if (filter.operator.length === 0 && filter.country.length === 0 && filter.currency.length === 0) return null
  return OPERATOR_CODES.filter(
    (code) =>
      (filter.operator.length === 0 || filter.operator.includes(code)) &&
      (filter.country.length === 0 || filter.country.includes(OPERATORS[code].country.name)) &&
      (filter.currency.length === 0 || filter.currency.includes(OPERATORS[code].country.currency)),
  )
}

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
  /** From 0, in the address too. */
  page: z.coerce.number().int().min(0).max(100_000).default(0),
})
export type ApprovalFilter = z.output<typeof approvalFilterSchema>

/** A decision: exactly the listed transactions, with the hash of what was shown of each. Its action adds the fresh proof. */
export const decisionSchema = z.object({
  decision: z.enum(['validated', 'rejected']),
  note: z.string().trim().min(1, 'form.field.required').max(500, 'form.field.required'),
  items: z
    .array(z.object({ transactionId: z.uuid(), contentHash: z.string().regex(/^[0-9a-f]{64}$/) }))
    .min(1)
    .max(BULK_MAX),
})

/** Which of the validations of this person. */
export const intentionSchema = z.object({ intentionId: z.uuid() })

/** A request to recall a waiting transaction. */
export const recallSchema = z.object({
  transactionId: z.uuid(),
  reason: z.string().trim().min(1, 'form.field.required').max(500, 'form.field.required'),
})
