import { z } from 'zod'
import { ROW_FILTERS } from '#lib/batch-dto.ts'
import { BATCH_STATES } from '#lib/batch-state.ts'

/** The address of the list of batches. */
export const batchListSchema = z.object({
  q: z.string().trim().max(200).optional().catch(undefined),
  state: z.enum(BATCH_STATES).optional().catch(undefined),
  page: z.coerce.number().int().min(0).max(100_000).catch(0),
})
export type BatchListFilter = z.output<typeof batchListSchema>

/** The address of a batch. */
export const batchPageSchema = z.object({
  show: z.enum(ROW_FILTERS).catch('all'),
  page: z.coerce.number().int().min(0).max(1_000).catch(0),
})
