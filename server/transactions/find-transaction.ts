import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from './transaction.ts'
import { selectTransaction } from './transaction-store.ts'

/** Returns the transaction with this id; undefined if there is none in this application. */
export function findTransaction(queryable: Queryable, applicationId: string, transactionId: string): Promise<Transaction | undefined> {
  return selectTransaction(queryable, applicationId, transactionId)
}
