import type { Pool } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { findSealedUntil, rebuildDays, sealUntilNow, selectApplicationsThatDiffer } from './ledger-store.ts'

/** For clocks that are set back a little. Transactions that are in progress hold the seal back, however long they take. */
const MARGIN_MS = 60_000

/**
 * Adds what was posted since the last run to the sums by day that statements and trends read. Postings are append-only and carry the
 * database's time, so a sum never changes later. A late or repeated run does no harm, because readers add the rest from the postings.
 */
export async function sealLedgerDays(pool: Pool, marginMs: number = MARGIN_MS): Promise<void> {
  await sealUntilNow(pool, marginMs)
}

/**
 * Compares the sums by day with the balances and rebuilds those of each application where they differ, which happens if postings of the
 * past are loaded (a migration from another system). Returns the applications concerned.
 */
export async function repairLedgerDays(pool: Pool): Promise<string[]> {
  const differing = await withSnapshot(pool, async (snapshot) => selectApplicationsThatDiffer(snapshot, await findSealedUntil(snapshot)))
  for (const applicationId of differing) await rebuildDays(pool, applicationId)
  return differing
}
