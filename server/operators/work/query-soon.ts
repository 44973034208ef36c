import type { Pool } from '#server/database/pool.ts'
import { makeQueriesDue } from './operator-work-store.ts'

/**
 * Has the dispatcher query operators soon about transactions that are still open here, instead of at their next scheduled time: something else says that
 * they have ended. The dispatcher's limits hold, and the answer alone decides. Returns how many queries became due.
 */
export function querySoon(pool: Pool, transactions: readonly { applicationId: string; transactionId: string }[]): Promise<number> {
  return transactions.length === 0 ? Promise.resolve(0) : makeQueriesDue(pool, transactions)
}
