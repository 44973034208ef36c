import { lastDueAt } from '#lib/finance/withdrawal-schedule.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { insertRun, isRun, type Run, type Schedule } from './bank-store.ts'

/** A time that no process has run within an hour is skipped: by then people have seen to it, or money that came later would be in the sum. */
const LATE_MS = 3_600_000

/**
 * The time of a schedule that is to be run now; undefined: none. A time that was missed is recorded as such and never made up for. The caller holds
 * the lock of the application until its transaction ends, in which it also records the run.
 */
export async function findDueTime(trx: TrxClient, schedule: Schedule, now: Date): Promise<Date | undefined> {
  const dueAt = lastDueAt(schedule, schedule.timeZone, now)
  if (dueAt.getTime() < schedule.setAt.getTime() || (await isRun(trx, schedule, dueAt))) return undefined
  if (now.getTime() - dueAt.getTime() <= LATE_MS) return dueAt
  await recordRun(trx, schedule, { dueAt, outcome: 'missed', reason: null, amountMinor: null, changeId: null })
  return undefined
}

/** Records what became of one time of a schedule. The key refuses a second record. */
export async function recordRun(
  trx: TrxClient,
  schedule: Schedule,
  run: Omit<Run, 'applicationId' | 'operator' | 'account'>,
): Promise<void> {
  const { applicationId, operator, account } = schedule
  await insertRun(trx, { applicationId, operator, account, ...run })
}
