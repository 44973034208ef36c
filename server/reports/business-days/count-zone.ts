import type { Pool } from '#server/database/pool.ts'
import { beginZone, countEdges, countLedgerEdges } from './day-zone-store.ts'

/** Transactions per statement: some ten milliseconds, for which the application's payments wait. */
const SLICE_MAX = 5_000

/**
 * Brings the sums by business day of a zone into being: what is created from now on is counted as it happens, what was created before slice by
 * slice. Can be interrupted and repeated. Returns false if `isEnding` stopped it.
 */
export async function countZone(
  pool: Pool,
  { applicationId, timeZone }: { applicationId: string; timeZone: string },
  isEnding: () => boolean = () => false,
): Promise<boolean> {
  // The roll-ups of UTC days need no edges.
  if (timeZone === 'UTC') return true
  await beginZone(pool, applicationId, timeZone)
  while ((await countEdges(pool, applicationId, timeZone, SLICE_MAX)) > 1n) if (isEnding()) return false
  await countLedgerEdges(pool, applicationId, timeZone)
  return true
}
