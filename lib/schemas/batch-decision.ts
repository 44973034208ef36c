import { z } from 'zod'
import { BATCH_ROW_FILTERS } from '#lib/batch-approval.ts'

/** The most rows that one decision leaves out with a reason; more than that is a rejection of the batch. */
const EXCLUDED_MAX = 5_000
const text = z.string().trim().min(1, 'form.field.required').max(500, 'form.field.required')

/** What the browser sends to decide about a batch: the hash of what was shown, and the rows that are rejected one by one. */
export const batchDecisionSchema = z.object({
  batchId: z.uuid(),
  decision: z.enum(['validated', 'rejected']),
  note: text,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  shownAt: z.iso.datetime(),
  code: z.string().trim().max(20).optional(),
  excluded: z
    .array(z.object({ transactionId: z.uuid(), reason: text }))
    .max(EXCLUDED_MAX)
    .refine((rows) => new Set(rows.map((row) => row.transactionId)).size === rows.length)
    .default([]),
})

/** What the browser sends to take a whole batch back. */
export const batchRecallSchema = z.object({ batchId: z.uuid(), reason: text })

/** What the browser sends to pause, resume or stop a batch. */
export const batchRunSchema = z.object({ batchId: z.uuid(), reason: text })
export const batchResumeSchema = z.object({ batchId: z.uuid() })

/** The rows of a batch, as in the address. */
export const batchRowsSchema = z.object({
  filter: z.enum(BATCH_ROW_FILTERS).default('all'),
  /** From 0, also in the address. */
  page: z.coerce.number().int().min(0).max(10_000).default(0),
})
export type BatchRowsQuery = z.output<typeof batchRowsSchema>
