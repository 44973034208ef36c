import type { Transaction } from '#server/transactions/transaction.ts'

/** Whether a transaction is a row of a batch from a file. IS_BATCH_ROW in may-decide.ts is the same in SQL. */
export function isBatchRow({ source, batchId }: Pick<Transaction, 'source' | 'batchId'>): boolean {
  return source === 'file' && batchId !== null
}
