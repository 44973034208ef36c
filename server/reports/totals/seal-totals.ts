import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import {
  addFees,
  addTransactions,
  sealDays,
  sealMonths,
  selectApplicationsBehind,
  selectUncounted,
  selectUnsealed,
} from './totals-store.ts'

/**
 * Adds up finished days and months once, so that totals over years read a few hundred rows. Never needed for a right answer: what is
 * not sealed is read from the roll-ups. Returns the applications that could not be sealed; each holds up none of the others.
 */
export async function sealTotals(pool: Pool): Promise<string[]> {
  await addTransactionDays(pool)
  await sealDays(pool)
  await sealMonths(pool)
  return selectUnsealed(pool)
}

/** Transactions per statement: some tens of milliseconds. */
const SLICE_MAX = 20_000
/** Fewer cost less to read with each total than a statement for their application costs every minute. */
export const READ_MAX = 500

/**
 * Adds what was created and what ended since the last run to the sums by day. Never needed for a right answer: readers add what is missing
 * themselves. An application that cannot be added up holds up no other, and one with no more than `leftMax` is left. Stops between two slices when
 * `isEnding`.
 */
export async function addTransactionDays(pool: Pool, isEnding: () => boolean = () => false, leftMax = 0): Promise<void> {
  for (const applicationId of await selectUncounted(pool, leftMax)) {
    await inSlices(applicationId, isEnding, () => addTransactions(pool, applicationId, SLICE_MAX))
  }
}

/** The same for the fees of what has succeeded. */
export async function addFeeDays(pool: Pool, isEnding: () => boolean = () => false, leftMax = 0): Promise<void> {
  for (const applicationId of await selectApplicationsBehind(pool, leftMax)) {
    await inSlices(applicationId, isEnding, () => addFees(pool, applicationId, SLICE_MAX))
  }
}

async function inSlices(applicationId: string, isEnding: () => boolean, addSlice: () => Promise<bigint>): Promise<void> {
  try {
    while (!isEnding() && (await addSlice()) > 0n);
  } catch (error) {
    reportUnexpected('totals: sums by day', error, {
      message: 'Transactions or fees could not be summed by day; the task of the next minute repeats it',
      applicationId,
    })
  }
}
