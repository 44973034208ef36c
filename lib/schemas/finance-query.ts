import { z } from 'zod'
import { EXPORT_FORMATS } from '#lib/export-formats.ts'
import { LINE_FILTERS } from '#lib/finance-dto.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { isUtcDay, OVERVIEW_DAYS, TOTAL_PRESETS } from '#lib/time.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { listOf } from './address-list.ts'
import { pageFromOne } from './address-page.ts'

const day = z.string().refine(isUtcDay).nullable().default(null)

/** The address of the totals. A custom range takes precedence over the preset. */
export const totalsQuerySchema = z.object({
  dates: z.enum(TOTAL_PRESETS).default('thisMonth'),
  from: day,
  to: day,
  status: z.enum([...TRANSACTION_STATUSES, 'ALL']).default('SUCCESS'),
  type: z.enum(TRANSACTION_TYPES).nullable().default(null),
  operator: listOf(OPERATOR_CODES),
})
export type TotalsFilter = z.output<typeof totalsQuerySchema>

/** What an export of a page adds to its address. */
const fileFormat = { format: z.enum(EXPORT_FORMATS).default('csv') }
export const totalsExportSchema = totalsQuerySchema.extend(fileFormat)
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
