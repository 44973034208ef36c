import { z } from 'zod'
import { BATCH_STAGES } from '#lib/batches/batch-stage.ts'
import { ROW_FILTERS } from '#lib/batches/batches.ts'
import { BALANCES_VIEWS, LINE_FILTERS, TOTAL_BASES } from '#lib/finance/finance-dto.ts'
import { PIVOT_DIMENSIONS, PIVOT_MEASURES } from '#lib/finance/pivot.ts'
import { UNCONFIRMED_AGES, UNCONFIRMED_FILTERS } from '#lib/finance/unconfirmed.ts'
import { LOCALES } from '#lib/i18n/locale.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import { STATUS_CLASSES } from '#lib/partner/partner-requests.ts'
import { EXPORT_FORMATS } from '#lib/payments/transactions/transaction-exports.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES, WEBHOOK_STATES } from '#lib/payments/transactions/transaction-status.ts'
import { AUDIT_ACTIONS } from '#lib/people/audit-actions.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { isUtcDay, isUtcInstant, OVERVIEW_DAYS, TOTAL_PRESETS } from '#lib/time/time.ts'
import { FAILED_OUTCOMES } from '#lib/webhooks/webhook-portal.ts'
import { listOf, pageFromOne } from './read-address.ts'

const instant = z.string().refine(isUtcInstant).nullable().default(null)
const day = z.string().refine(isUtcDay).nullable().default(null)
/** A month, `2026-11`. */
const month = z.string().refine((text) => /^\d{4}-\d{2}$/.test(text) && isUtcDay(`${text}-01`))

/** The address of a list by month, such as fees; without a month, the present one. */
export const monthAddressSchema = z.object({ month: month.optional() })
/** The address of the adjustments: the id of a transaction of any application, as it was typed, and whose fees are listed; null: everybody's. */
export const adjustmentAddressSchema = z.object({
  transaction: z.string().trim().max(100).default(''),
  ledger: z.uuid().nullable().default(null),
})
export const settlementPageSchema = z.object({ page: pageFromOne(100_000) })
/** Without a month, of the present one. */
export const feeClaimSchema = z.object({
  month: month.optional(),
  language: z.enum(LOCALES).default('en'),
  format: z.enum(EXPORT_FORMATS).default('csv'),
})

/** The address of the desk of unconfirmed money. */
export const unconfirmedFilterSchema = z.object({
  owner: z
    .union([z.enum(['me', 'nobody']), z.uuid()])
    .nullable()
    .default(null),
  kind: z.enum(UNCONFIRMED_FILTERS).nullable().default(null),
  operator: z.enum(OPERATOR_CODES).nullable().default(null),
  type: z.enum(TRANSACTION_TYPES).nullable().default(null),
  currency: z.enum(CURRENCIES).nullable().default(null),
  batch: z.uuid().nullable().default(null),
  minutes: z.coerce
    .number()
    .refine((minutes) => UNCONFIRMED_AGES.some((each) => each === minutes))
    .nullable()
    .default(null),
  unconfirmedAfter: instant,
  unconfirmedBefore: instant,
  page: pageFromOne(100_000),
})
export type UnconfirmedFilter = z.output<typeof unconfirmedFilterSchema>

export const unconfirmedExportSchema = unconfirmedFilterSchema.extend({ format: z.enum(EXPORT_FORMATS).default('csv') })

/** A place in the chain: the number of an entry. */
const sequence = z
  .string()
  .regex(/^\d{1,18}$/)
  .optional()

const filters = {
  /** A person, or what acts without one. */
  who: z.union([z.guid(), z.enum(['system', 'api', 'operator'])]).optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  subject: z.string().trim().min(1).max(400).optional(),
  from: day,
  to: day,
}

/** The address of the audit page. */
export const auditListSchema = z.object({ ...filters, before: sequence, after: sequence })
export type AuditListFilter = z.output<typeof auditListSchema>

/** As JSON lines the record is always whole, because a part of a chain cannot be verified. */
export const auditExportSchema = z
  .object({ ...filters, format: z.enum([...EXPORT_FORMATS, 'jsonl']).default('csv') })
  .refine(({ format, ...filter }) => format !== 'jsonl' || Object.values(filter).every((value) => value === undefined || value === null))

/** A part of the check of the chain: where it goes on. */
export const auditCheckSchema = z.object({ after: sequence.default('0') })

/** The address of the list of batches. */
export const batchListSchema = z.object({
  q: z.string().trim().max(200).optional().catch(undefined),
  state: z.enum(BATCH_STAGES).optional().catch(undefined),
  page: z.coerce.number().int().min(0).max(100_000).catch(0),
})
export type BatchListFilter = z.output<typeof batchListSchema>

/** The address of a batch. */
export const batchPageSchema = z.object({
  show: z.enum(ROW_FILTERS).nullable().catch(null).default(null),
  page: z.coerce.number().int().min(0).max(1_000).catch(0),
})

/** The address of the totals. A custom range takes precedence over the preset. */
export const totalsQuerySchema = z.object({
  dates: z.enum(TOTAL_PRESETS).default('thisMonth'),
  from: day,
  to: day,
  status: z.enum([...TRANSACTION_STATUSES, 'ALL']).default('SUCCESS'),
  type: z.enum(TRANSACTION_TYPES).nullable().default(null),
  operator: listOf(OPERATOR_CODES),
  /** Whether a transaction counts on the day on which it was created, or on which it succeeded. */
  basis: z.enum(TOTAL_BASES).default('created'),
})
export type TotalsFilter = z.output<typeof totalsQuerySchema>

/** The address of the totals as a table whose rows and columns are chosen; by the day of creation. */
export const pivotQuerySchema = totalsQuerySchema.omit({ basis: true }).extend({
  rows: z.enum(PIVOT_DIMENSIONS).default('operator'),
  columns: z.enum(PIVOT_DIMENSIONS).nullable().default(null),
  measure: z.enum(PIVOT_MEASURES).default('amount'),
})
export type PivotFilter = z.output<typeof pivotQuerySchema>

/** The parameter that an export adds to the address of its page. */
const fileFormat = { format: z.enum(EXPORT_FORMATS).default('csv') }
export const totalsExportSchema = totalsQuerySchema.extend(fileFormat)
export const pivotExportSchema = pivotQuerySchema.extend(fileFormat)
export const balancesAddressSchema = z.object({ view: z.enum(BALANCES_VIEWS).catch('cards') })
export const balancesExportSchema = z.object(fileFormat)

/** The address of the overview: the number of days of the operator figures. */
export const overviewQuerySchema = z.object({
  days: z.coerce
    .number()
    .refine((days) => OVERVIEW_DAYS.some((one) => one === days))
    .default(30),
})

/** The statement's address. */
export const statementQuerySchema = z.object({
  dates: z.enum(TOTAL_PRESETS).default('thisMonth'),
  from: day,
  to: day,
  view: z.enum(['days', 'lines']).default('days'),
  kind: z.enum(LINE_FILTERS).nullable().default(null),
  page: pageFromOne(100_000_000),
})
export const statementExportSchema = statementQuerySchema.extend(fileFormat)
export type StatementFilter = z.output<typeof statementQuerySchema>

export const operatorSchema = z.enum(OPERATOR_CODES)

const version = z.coerce.number().int().min(0).max(2_147_483_647)

/** The address of a version: which one it is compared with. Wrong ones fall back to the active version. */
export const ruleVersionAddressSchema = z.object({ against: version.optional().catch(undefined) })
/** The address of the editor: the version that it begins with. */
export const ruleEditorAddressSchema = z.object({ from: version.optional().catch(undefined) })

/** Returns the version that a part of an address names; undefined if it is no number. */
export function parseVersion(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** A query of the search box, sent while somebody types. */
export const suggestionQuerySchema = z.strictObject({ q: z.string().max(200).refine(isCleanText) })

/** The address of the list of deliveries. `before`: the delivery after which the page begins. */
export const deliveryFilterSchema = z.object({
  state: z.enum(WEBHOOK_STATES).nullable().default(null),
  cause: z.enum(FAILED_OUTCOMES).nullable().default(null),
  from: day,
  to: day,
  before: z.uuid().nullable().default(null),
})
export type DeliveryFilter = z.output<typeof deliveryFilterSchema>

/** The address of the list of calls of a sandbox. */
export const apiCallFilterSchema = z.object({
  status: z.enum(STATUS_CLASSES).nullable().default(null),
  path: z.string().trim().max(200).default(''),
  q: z.string().trim().max(200).default(''),
  from: day,
  to: day,
  page: pageFromOne(1_000),
})
export type ApiCallFilter = z.output<typeof apiCallFilterSchema>

/** The values of the address of a list of calls; page 1 is left out. */
export function toCallQuery({ page, ...filter }: ApiCallFilter): QueryValues {
  return { ...filter, page: page === 0 ? null : page + 1 }
}

/** A clock time in the reader's zone, as a browser writes it: `2026-03-14T09:30`. */
const localTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/)
  .refine((text) => isUtcDay(text.slice(0, 10)))

/** Which deliveries to send again. */
export const recoverySchema = z.object({ since: localTime, includesDelivered: z.boolean() })
/** `counted` is what the person saw and agreed to. */
export const recoveryStartSchema = recoverySchema.extend({ counted: z.int().min(1).max(100_000_000) })
export const webhookTestSchema = z.object({
  url: z.string().trim().min(1).max(2_048),
  status: z.enum(['SUCCESS', 'FAILED']).default('FAILED'),
})

/** A browser's report of an error that a page did not handle. Bounded, because it is written to the log. */
export const pageFailureSchema = z.strictObject({
  name: z.string().max(100),
  message: z.string().max(500),
  stack: z.string().max(4_000),
  path: z.string().max(300),
})

export type PageFailure = z.infer<typeof pageFailureSchema>
