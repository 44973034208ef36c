import type { FAILED_ENDS, TransactionType } from '#lib/payments/transactions/transaction-status.ts'

/** The stage of a batch as people see it: before its submission its own state, then that of its rows. `partly`: some succeeded, some did not. */
export const BATCH_STAGES = [
  'checking',
  'draft',
  'submitting',
  'waiting',
  'running',
  'succeeded',
  'partly',
  'failed',
  'rejected',
  'recalled',
  'expired',
  'stopped',
  'discarded',
] as const
export type BatchStage = (typeof BATCH_STAGES)[number]

/** Where the rows of a submitted batch are: counts, without places that have no rows, and who rejected or recalled rows last. */
type BatchPlaces = Partial<Record<'waiting' | 'open' | 'succeeded' | BatchEndPlace, number>> & { by?: string }

/** Where a row ended without a payment. */
export type BatchEndPlace = (typeof FAILED_ENDS)[number]

/** The data of the badge of a batch. */
export type StagedBatch = { type: TransactionType; stage: BatchStage; places: BatchPlaces }
