import type { Pool, Queryable } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { addFees, sealDays, sealMonths, selectApplicationsBehind, selectUnsealed } from './totals-store.ts'

/**
 * Adds up finished days and months once, so that totals over years read a few hundred rows. Never needed for a right answer: what is
 * not sealed is read from the roll-ups. Returns the applications that could not be sealed; each holds up none of the others.
 */
export async function sealTotals(queryable: Queryable): Promise<string[]> {
  await sealDays(queryable)
  await sealMonths(queryable)
  return selectUnsealed(queryable)
}

/** Transactions per statement: some tens of milliseconds. */
const SLICE_MAX = 20_000

/**
 * Adds the fees of what has succeeded since the last run to the sums by day. Never needed for a right answer: readers add what is missing
 * themselves. An application that cannot be added up holds up no other. Stops between two slices when `isEnding`.
 */
export async function addFeeDays(pool: Pool, isEnding: () => boolean = () => false): Promise<void> {
  for (const applicationId of await selectApplicationsBehind(pool)) {
    try {
      while (!isEnding() && (await addFees(pool, applicationId, SLICE_MAX)) > 0n);
    } catch (error) {
      reportUnexpected('totals: fees by day', error, {
        message: 'Fees could not be summed by day; the task of the next minute repeats it',
        applicationId,
      })
    }
  }
}
