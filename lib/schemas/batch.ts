import { z } from 'zod'
import { BATCH_ROW_FILTERS } from '#lib/approvals/batch-approval.ts'
import {
  BATCH_CELL_LENGTH_MAX,
  BATCH_COLUMNS_MAX,
  BATCH_FIELDS,
  EDITED_CELLS_MAX,
  PROBLEM_KINDS,
  REPAIR_KINDS,
  REQUIRED_FIELDS,
} from '#lib/batches/batch-fields.ts'
import { REPEATED_ROWS, ROW_FILTERS } from '#lib/batches/batches.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { isCleanText } from '#lib/text/clean-text.ts'

const name = z.string().trim().min(1).max(200).refine(isCleanText)
const reason = z.string().trim().min(1, 'form.field.required').max(500).refine(isCleanText)

/** The parameters in the address of a file upload. */
export const batchUploadSchema = z.object({
  type: z.enum(TRANSACTION_TYPES),
  operator: z.enum(OPERATOR_CODES).optional(),
  fileName: name,
  name: name.optional(),
})

const columnNumber = z
  .number()
  .int()
  .min(0)
  .max(BATCH_COLUMNS_MAX - 1)

/** Which column, from 0, is which field: each once, and those without which no row can be read. */
export const batchColumnsSchema = z
  .partialRecord(z.enum(BATCH_FIELDS), columnNumber)
  .refine((columns) => REQUIRED_FIELDS.every((field) => columns[field] !== undefined))
  .refine((columns) => new Set(Object.values(columns)).size === Object.values(columns).length)

const rowNumber = z.number().int().min(1).max(10_000_000)

/** Null returns to the cell of the file. */
const rowEditsSchema = z.partialRecord(z.enum(BATCH_FIELDS), z.string().trim().max(BATCH_CELL_LENGTH_MAX).nullable())

/** Which batch, in the version that the person saw. */
const batchPlaceSchema = z.object({ batchId: z.uuid(), version: z.number().int().min(1).max(2_000_000_000) })

export const checkNamesSchema = batchPlaceSchema

export const assignColumnsSchema = batchPlaceSchema.extend({
  columns: batchColumnsSchema,
  defaultOperator: z.enum(OPERATOR_CODES).nullable(),
})
export const decideRepairSchema = batchPlaceSchema.extend({ repair: z.enum(REPAIR_KINDS), isAccepted: z.boolean() })
/** Cells of a batch, each row once, at most `EDITED_CELLS_MAX` in all. */
export const editRowsSchema = batchPlaceSchema.extend({
  rows: z
    .array(z.object({ rowNumber, fields: rowEditsSchema.refine((fields) => Object.keys(fields).length > 0) }))
    .min(1)
    .max(EDITED_CELLS_MAX)
    .refine((rows) => new Set(rows.map((row) => row.rowNumber)).size === rows.length)
    .refine((rows) => rows.reduce((count, { fields }) => count + Object.keys(fields).length, 0) <= EDITED_CELLS_MAX),
})
export const excludeRowsSchema = batchPlaceSchema.extend({
  rowNumbers: z.array(rowNumber).min(1).max(500),
  reason: reason.nullable(),
})
/** When the rows of a batch are sent. */
const releaseAt = z.iso.datetime().transform((text) => new Date(text))

export const submitBatchSchema = batchPlaceSchema.extend({ repeatReason: reason.nullable(), releaseAt: releaseAt.nullable().default(null) })
export const discardBatchSchema = batchPlaceSchema

/** The most rows that one decision leaves out with a reason; more than that is a rejection of the batch. */
const EXCLUDED_MAX = 5_000
const text = z.string().trim().min(1, 'form.field.required').max(500, 'form.field.required')

/** A decision about a batch: the hash of what was shown, and the rows to reject one by one. Its action adds the fresh proof. */
export const batchDecisionSchema = z.object({
  batchId: z.uuid(),
  decision: z.enum(['validated', 'rejected']),
  note: text,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  shownAt: z.iso.datetime(),
  excluded: z
    .array(z.object({ transactionId: z.uuid(), reason: text }))
    .max(EXCLUDED_MAX)
    .refine((rows) => new Set(rows.map((row) => row.transactionId)).size === rows.length)
    .default([]),
})

/** A request to recall a whole batch. */
export const batchRecallSchema = z.object({ batchId: z.uuid(), reason: text })

/** A request to pause, resume or stop a batch. */
export const batchRunSchema = z.object({ batchId: z.uuid(), reason: text })
/** A request to send a batch that is held at this time. */
export const batchReleaseSchema = z.object({ batchId: z.uuid(), releaseAt })
export const batchResumeSchema = z.object({ batchId: z.uuid() })
export const batchRepeatSchema = z.object({ batchId: z.uuid(), rows: z.enum(REPEATED_ROWS).default('failed') })

/** The rows of a batch, as in the address. */
export const batchRowsSchema = z.object({
  filter: z.enum(BATCH_ROW_FILTERS).default('all'),
  /** From 0, in the address too. */
  page: z.coerce.number().int().min(0).max(10_000).default(0),
})
export type BatchRowsQuery = z.output<typeof batchRowsSchema>

/** Cells of a batch, as in the address: those of one field from a row on, or, with `kind`, those with this value and this problem. */
export const batchCellsSchema = z.object({
  field: z.enum(BATCH_FIELDS).default('phoneNumber'),
  show: z.enum(ROW_FILTERS).default('problems'),
  from: z.coerce.number().int().min(1).max(10_000_000).default(1),
  kind: z.enum(PROBLEM_KINDS).optional(),
  /** As in the row, untrimmed. An address without one asks for empty cells. */
  value: z.string().max(BATCH_CELL_LENGTH_MAX).default(''),
})
export type BatchCellsQuery = z.output<typeof batchCellsSchema>
