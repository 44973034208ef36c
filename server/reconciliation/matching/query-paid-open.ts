import type { Pool } from '#server/database/pool.ts'
import { querySoon } from '#server/operators/work/forced-enquiries.ts'
import { listPaidOpen } from './match-store.ts'

/** A statement of a bad hour must not become as many queries at once; what is left is queried in the next minutes. */
const QUERIED_MAX = 500

/**
 * Has operators queried about transactions that their own statement shows as paid and that are still open here, once for each match. Run after the commit
 * of an import, and each minute: a match may be found later, and a process may end in between. Returns how many queries became due.
 */
export async function queryPaidOpen(pool: Pool, countMax = QUERIED_MAX): Promise<number> {
  return querySoon(pool, await listPaidOpen(pool, countMax))
}
