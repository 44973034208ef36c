import { z } from 'zod'
import { BATCH_CELL_LENGTH_MAX, BATCH_COLUMNS_MAX, BATCH_FIELDS, REPAIR_KINDS, REQUIRED_FIELDS } from '#lib/batch-file/batch-fields.ts'
import { isCleanText } from '#lib/clean-text.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'

const name = z.string().trim().min(1).max(200).refine(isCleanText)
const reason = z.string().trim().min(1, 'form.field.required').max(500).refine(isCleanText)

/** What the address says about an uploaded file. */
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

const rowEditsSchema = z.partialRecord(z.enum(BATCH_FIELDS), z.string().trim().max(BATCH_CELL_LENGTH_MAX))

/** Which batch, in the version that the person saw. */
const batchPlaceSchema = z.object({ batchId: z.uuid(), version: z.number().int().min(1).max(2_000_000_000) })

export const assignColumnsSchema = batchPlaceSchema.extend({
  columns: batchColumnsSchema,
  defaultOperator: z.enum(OPERATOR_CODES).nullable(),
})
export const decideRepairSchema = batchPlaceSchema.extend({ repair: z.enum(REPAIR_KINDS), isAccepted: z.boolean() })
export const editRowSchema = batchPlaceSchema.extend({ rowNumber: z.number().int().min(1).max(10_000_000), fields: rowEditsSchema })
export const excludeRowsSchema = batchPlaceSchema.extend({
  rowNumbers: z.array(z.number().int().min(1).max(10_000_000)).min(1).max(500),
  reason: reason.nullable(),
})
export const submitBatchSchema = batchPlaceSchema.extend({ repeatReason: reason.nullable() })
export const discardBatchSchema = batchPlaceSchema
