import type { Queryable } from '../database/pool.ts'
import { sealMonths } from './finance-store.ts'
import { sealDays } from './total-store.ts'

/**
 * Adds up finished days and months once, so that totals over years read a few hundred rows (DESIGN 8). Never needed for a
 * right answer: what is not sealed is read from the roll-ups.
 */
export async function sealTotals(queryable: Queryable): Promise<void> {
  await sealDays(queryable)
  await sealMonths(queryable)
}
