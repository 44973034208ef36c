import { randomUUID } from 'node:crypto'
import { nextPaymentDue, type PaymentScheduleDto, type PaymentTime } from '#lib/beneficiaries/payment-schedule.ts'
import { err, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockBatch } from '#server/batches/batch-store.ts'
import type { PersonActor } from '#server/batches/create-batch.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { listMembers } from './beneficiary-store.ts'
import type { ListSource } from './prepare-list.ts'
import { endSchedule, findZone, insertSchedule, listRunsOf, listSchedulesOf, type PaymentSchedule } from './schedule-store.ts'

const SCHEDULES_MAX = 100
const RUNS_SHOWN = 3

type SetFailure =
  | 'not_permitted'
  /** No such list of payments that was submitted, or nobody in the group. */
  | 'not_found'
  /** The only time has passed. */
  | 'wrong_time'
  | 'too_many_schedules'
type SetSchedule = {
  applicationId: string
  actor: PersonActor
  name: string
  purpose: string | null
  source: ListSource
  time: PaymentTime
}

/**
 * Sets when a list is prepared in the name of the maker who sets it. One person may: each time makes a draft, which is submitted and approved like any
 * other batch.
 */
export function setPaymentSchedule(
  { pool, clock }: { pool: Pool; clock: Clock },
  { applicationId, actor, name, purpose, source, time }: SetSchedule,
): Promise<Result<{ scheduleId: string }, SetFailure>> {
  return runCommand<{ scheduleId: string }, SetFailure>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    const now = clock.now()
    if (nextPaymentDue(time, await findZone(trx, applicationId), now) === undefined) return err('wrong_time')
    const batch = 'batchId' in source ? await lockBatch(trx, applicationId, source.batchId) : undefined
    const isThere =
      'batchId' in source
        ? batch?.state === 'submitted' && batch.type === 'DEPOSIT'
        : (await listMembers(trx, applicationId, source.groupName, 1)).length > 0
    if (!isThere) return err('not_found')
    const present = await listSchedulesOf(trx, applicationId, SCHEDULES_MAX)
    if (present.filter(({ endedAt }) => endedAt === null).length >= SCHEDULES_MAX) return err('too_many_schedules')
    const scheduleId = randomUUID()
    await insertSchedule(trx, { applicationId, scheduleId, name, purpose, source, makerId: actor.id, setAt: now, ...time })
    const details = { name, ...source, every: time.every, day: String(time.day ?? time.weekday ?? time.monthDay), minute: time.minute }
    return done({ action: 'payment_schedule.set', subject: scheduleId, details }, { scheduleId })
  })
}

/** Ends a schedule: any maker may. Batches that it made stay. */
export function endPaymentSchedule(
  pool: Pool,
  { applicationId, actor, scheduleId }: { applicationId: string; actor: PersonActor; scheduleId: string },
): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  return runCommand<void, 'not_found'>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    const name = await endSchedule(trx, { applicationId, scheduleId, endedBy: actor.id })
    if (name === undefined) return err('not_found')
    return done({ action: 'payment_schedule.ended', subject: scheduleId, details: { name } })
  })
}

/** The schedules of an application with their last runs; those that have ended are last. */
export async function listPaymentSchedules(queryable: Queryable, applicationId: string, now: Date): Promise<PaymentScheduleDto[]> {
  const [schedules, runs] = await Promise.all([
    listSchedulesOf(queryable, applicationId, SCHEDULES_MAX),
    listRunsOf(queryable, applicationId, RUNS_SHOWN),
  ])
  return schedules.map((schedule) => ({
    ...timeOf(schedule),
    scheduleId: schedule.scheduleId,
    name: schedule.name,
    groupName: schedule.groupName,
    source: schedule.batchId === null ? null : { batchId: schedule.batchId, name: schedule.batchName ?? '' },
    makerName: schedule.makerName,
    isEnded: schedule.endedAt !== null,
    nextDueAt: schedule.endedAt === null ? (nextPaymentDue(schedule, schedule.timeZone, now)?.toISOString() ?? null) : null,
    runs: runs
      .filter(({ scheduleId }) => scheduleId === schedule.scheduleId)
      .map(({ dueAt, outcome, reason, batchId }) => ({ dueAt: dueAt.toISOString(), outcome, reason, batchId })),
  }))
}

function timeOf({ minute, ...time }: PaymentSchedule): PaymentTime {
  if (time.every === 'once') return { minute, every: 'once', weekday: null, monthDay: null, day: time.day }
  if (time.every === 'week') return { minute, every: 'week', weekday: time.weekday, monthDay: null, day: null }
  return { minute, every: 'month', weekday: null, monthDay: time.monthDay, day: null }
}
