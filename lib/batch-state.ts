/** What can be done with a batch. `checking`: its columns are not known yet. */
export const BATCH_STATES = ['checking', 'draft', 'submitting', 'submitted', 'discarded'] as const
export type BatchState = (typeof BATCH_STATES)[number]
