import { lastPaymentDue, type RunRefusal } from '#lib/beneficiaries/payment-schedule.ts'
import { can } from '#lib/people/permissions.ts'
import type { Clock } from '#lib/time/time.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockActiveMember } from '#server/people/person-store.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Connected } from '#server/transactions/find-start-problems.ts'
import { detailsOf, type ListSource, storeList } from './prepare-list.ts'
import {
  endSchedule,
  insertRun,
  isTimeRun,
  listLiveSchedules,
  lockLiveSchedule,
  type PaymentRun,
  type PaymentSchedule,
} from './schedule-store.ts'

/** A time that no process has run within an hour is missed for good: by then people have paid the list by hand, and it would be paid twice. */
const LATE_MS = 3_600_000

type RunDeps = {
  pool: Pool
  connectors: Connected
  clock: Clock
  directory: { find(applicationId: string): ApplicationSnapshot | undefined }
}

/** Task: prepares the lists whose time has come. One that fails holds up no other; the next minute repeats it. */
export async function runPaymentSchedules(deps: RunDeps, isEnding: () => boolean): Promise<void> {
  for (const schedule of await listLiveSchedules(deps.pool)) {
    if (isEnding()) return
    const application = deps.directory.find(schedule.applicationId)
    // A new application is in the memory of each process within a second.
    if (!application) continue
    await runSchedule(deps, application, schedule).catch((error: unknown) =>
      reportUnexpected('payments: schedule', error, {
        message: 'A scheduled list could not be prepared; the task of the next minute repeats it',
        applicationId: schedule.applicationId,
      }),
    )
  }
}

/**
 * Runs one schedule if it is due. The batch, the record of the run and the audit entry are one transaction under the lock of the schedule: a kill leaves
 * all of it or nothing, and the key of the run refuses a second one.
 */
async function runSchedule(deps: RunDeps, application: ApplicationSnapshot, listed: PaymentSchedule): Promise<void> {
  await withTransaction<void, never>(deps.pool, async (trx) => {
    const schedule = await lockLiveSchedule(trx, listed)
    const now = deps.clock.now()
    const dueAt = schedule && lastPaymentDue(schedule, schedule.timeZone, now)
    if (!schedule || !dueAt || dueAt.getTime() < schedule.setAt.getTime() || (await isTimeRun(trx, schedule, dueAt)))
      return { ok: true, value: undefined }
    const isLate = now.getTime() - dueAt.getTime() > LATE_MS
    const run: PaymentRun = isLate
      ? { dueAt, outcome: 'missed', reason: null, batchId: null }
      : await makeList(trx, deps.connectors, application, schedule, dueAt)
    await insertRun(trx, schedule, run)
    if (schedule.every === 'once') await endSchedule(trx, { ...schedule, endedBy: null })
    if (run.outcome !== 'prepared') {
      const { applicationId, scheduleId, name } = schedule
      const details = { name, dueAt: dueAt.toISOString(), outcome: run.outcome, reason: run.reason ?? '' }
      await appendAudit(trx, { applicationId, actor: SYSTEM_ACTOR, action: 'payment_schedule.missed', subject: scheduleId, details })
    }
    return { ok: true, value: undefined }
  })
}

/** Prepares the list in the maker's name, if the maker may still prepare one. */
async function makeList(
  trx: TrxClient,
  connectors: Connected,
  application: ApplicationSnapshot,
  schedule: PaymentSchedule,
  dueAt: Date,
): Promise<PaymentRun> {
  const { applicationId, scheduleId, makerId, name, purpose } = schedule
  const refused = (reason: RunRefusal): PaymentRun => ({ dueAt, outcome: 'refused', reason, batchId: null })
  if (!application.isEnabled) return refused('application_disabled')
  if (!can((await lockActiveMember(trx, applicationId, makerId)) ?? [], 'transaction:create')) return refused('maker_gone')
  const source = sourceOf(schedule)
  const stored = await storeList(trx, connectors, { application, makerId, source, name, purpose })
  if (!stored.ok) return refused(stored.error)
  const details = { ...detailsOf(source, stored.value), schedule: scheduleId, maker: makerId, dueAt: dueAt.toISOString() }
  await appendAudit(trx, { applicationId, actor: SYSTEM_ACTOR, action: 'batch.repeated', subject: stored.value.batchId, details })
  return { dueAt, outcome: 'prepared', reason: null, batchId: stored.value.batchId }
}

/** A check of the table says that a schedule has one of both. */
function sourceOf({ batchId, groupName, scheduleId }: PaymentSchedule): ListSource {
  if (batchId !== null) return { batchId }
  if (groupName !== null) return { groupName }
  throw new Error(`The schedule ${scheduleId} has no source`)
}
