import type { Pool } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-snapshot.ts'
import { findSealedUntil } from './seal-queries.ts'
import { rebuildDays, sealUntilNow, selectApplicationsThatDiffer } from './seal-store.ts'

/** For clocks that are set back a little; transactions under way are waited for whatever they take. */
const MARGIN_MS = 60_000

/**
 * Adds what was posted since the last run to the sums by day that statements and trends read. Postings are append-only and
 * carry the database's time, so what is summed once never changes. Late or twice does no harm: readers add the rest themselves.
 */
export async function sealLedgerDays(pool: Pool, marginMs: number = MARGIN_MS): Promise<void> {
  await sealUntilNow(pool, marginMs)
}

/**
 * Compares the sums by day with the balances and makes those of an application anew where they differ: somebody loaded
 * postings of the past (a migration from another system). Gives the applications concerned.
 */
export async function repairLedgerDays(pool: Pool): Promise<string[]> {
  const differing = await withSnapshot(pool, async (snapshot) => selectApplicationsThatDiffer(snapshot, await findSealedUntil(snapshot)))
  for (const applicationId of differing) await rebuildDays(pool, applicationId)
  return differing
}
