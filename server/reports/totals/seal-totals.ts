import type { Queryable } from '#server/database/pool.ts'
import { sealDays, sealMonths, selectUnsealed } from './seal-totals-store.ts'

/**
 * Adds up finished days and months once, so that totals over years read a few hundred rows. Never needed for a right answer: what is
 * not sealed is read from the roll-ups. Returns the applications that could not be sealed; each holds up none of the others.
 */
export async function sealTotals(queryable: Queryable): Promise<string[]> {
  await sealDays(queryable)
  await sealMonths(queryable)
  return selectUnsealed(queryable)
}
