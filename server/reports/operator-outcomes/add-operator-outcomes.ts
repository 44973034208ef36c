import { HISTORY_DAYS } from '#lib/operator-outcomes.ts'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { addOutcomes, removeOutcomesBefore, selectApplicationsBehind } from './outcome-history-store.ts'

/** Transactions of each status per statement: some tens of milliseconds. */
const SLICE_MAX = 5_000
const DAY_MS = 86_400_000
/** A business day begins up to fourteen hours before the UTC day, and the oldest one is shown as a whole. */
const KEPT_DAYS = HISTORY_DAYS + 2
const CAUSES = Object.entries(FAILURE_MESSAGES)

/**
 * Adds what has ended since the last run to the outcomes by hour. Nothing waits for it: submissions and results only leave their
 * sequence behind. An application that cannot be added up holds up no other. Stops between two slices when `isEnding`.
 */
export async function addOperatorOutcomes(pool: Pool, now: Date, isEnding: () => boolean = () => false): Promise<void> {
  const since = keptSince(now)
  for (const applicationId of await selectApplicationsBehind(pool)) {
    try {
      const slice = { applicationId, countMax: SLICE_MAX, since, causes: CAUSES }
      while (!isEnding() && (await addOutcomes(pool, slice)) > 0n);
    } catch (error) {
      reportUnexpected('operators: outcomes', error, {
        message: 'Outcomes at operators could not be added up; the task of the next minute repeats it',
        applicationId,
      })
    }
  }
}

/** Removes the outcomes that are too old for any page to show. */
export async function forgetOperatorOutcomes(pool: Pool, now: Date): Promise<void> {
  await removeOutcomesBefore(pool, keptSince(now))
}

function keptSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_DAYS * DAY_MS)
}
