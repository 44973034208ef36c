import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from './transaction.ts'
import { selectByExternalIds, selectTransaction } from './transaction-store.ts'

/** The transaction with this id in this application; undefined also when it is somebody else's. */
export function findTransaction(queryable: Queryable, applicationId: string, transactionId: string): Promise<Transaction | undefined> {
  return selectTransaction(queryable, applicationId, transactionId)
}

/** What the application already made under these externalIds, in no particular order. */
export function findByExternalIds(queryable: Queryable, applicationId: string, externalIds: string[]): Promise<Transaction[]> {
  return selectByExternalIds(queryable, applicationId, externalIds)
}
