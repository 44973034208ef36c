import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { listReferences, selectApplicationsBehind } from './operator-reference-store.ts'

/** Transactions of each status per statement: some tens of milliseconds. */
const SLICE_MAX = 10_000

/**
 * Lists the operator references of transactions that became final since the last run, and records those that two transactions have. An
 * application that cannot be listed holds up no other. Stops between two slices when `isEnding`.
 */
export async function listOperatorReferences(pool: Pool, isEnding: () => boolean = () => false): Promise<void> {
  for (const applicationId of await selectApplicationsBehind(pool)) {
    try {
      while (!isEnding() && (await listReferences(pool, applicationId, SLICE_MAX)) > 0n);
    } catch (error) {
      reportUnexpected('operators: references', error, {
        message: 'Operator references could not be listed; the task of the next minute repeats it',
        applicationId,
      })
    }
  }
}
