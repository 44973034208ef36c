import type { PaymentRunDto, PaymentRunOutcome, PaymentTime, RunRefusal } from '#lib/beneficiaries/payment-schedule.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { ListSource } from './prepare-list.ts'

type Key = { applicationId: string; scheduleId: string }

export type PaymentSchedule = Key &
  PaymentTime & {
    name: string
    purpose: string | null
    batchId: string | null
    batchName: string | null
    groupName: string | null
    makerId: string
    makerName: string
    setAt: Date
    endedAt: Date | null
    timeZone: string
  }

const SCHEDULE = `select s.application_id as "applicationId", s.schedule_id as "scheduleId", s.name, s.purpose, s.source_batch_id as "batchId",
    b.name as "batchName", s.group_name as "groupName", s.every, s.weekday, s.month_day as "monthDay", s.day::text as day, s.minute,
    s.maker_id as "makerId", p.name as "makerName", s.set_at as "setAt", s.ended_at as "endedAt", a.time_zone as "timeZone"
  from payment_schedules s join applications a using (application_id) join people p on p.person_id = s.maker_id
    left join batches b on b.application_id = s.application_id and b.batch_id = s.source_batch_id`

/** Every schedule that has not ended, of all applications. */
export async function listLiveSchedules(queryable: Queryable): Promise<PaymentSchedule[]> {
  const { rows } = await queryable.query<PaymentSchedule>(`${SCHEDULE} where s.ended_at is null order by s.application_id, s.schedule_id`)
  return rows
}

/** The schedules of an application, those that have not ended first. */
export async function listSchedulesOf(queryable: Queryable, applicationId: string, countMax: number): Promise<PaymentSchedule[]> {
  const { rows } = await queryable.query<PaymentSchedule>(
    `${SCHEDULE} where s.application_id = $1 order by s.ended_at is not null, s.set_at desc, s.schedule_id limit $2`,
    [applicationId, countMax],
  )
  return rows
}

/**
 * Reads a schedule that has not ended and holds it until the end of the database transaction. Undefined if it has ended, or if another process holds it:
 * that one runs it.
 */
export async function lockLiveSchedule(trx: TrxClient, { applicationId, scheduleId }: Key): Promise<PaymentSchedule | undefined> {
  const { rows } = await trx.query<PaymentSchedule>(
    `${SCHEDULE} where s.application_id = $1 and s.schedule_id = $2 and s.ended_at is null for update of s skip locked`,
    [applicationId, scheduleId],
  )
  return rows[0]
}

/** The business time zone of an application. */
export async function findZone(queryable: Queryable, applicationId: string): Promise<string> {
  const { rows } = await queryable.query<{ zone: string }>('select time_zone as zone from applications where application_id = $1', [
    applicationId,
  ])
  return rows[0]?.zone ?? 'UTC'
}

type NewSchedule = Key & PaymentTime & { name: string; purpose: string | null; source: ListSource; makerId: string; setAt: Date }

export async function insertSchedule(trx: TrxClient, row: NewSchedule): Promise<void> {
  await trx.query(
    `insert into payment_schedules (application_id, schedule_id, name, purpose, source_batch_id, group_name, every, weekday, month_day, day, minute, maker_id,
                                    set_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      row.applicationId,
      row.scheduleId,
      row.name,
      row.purpose,
      'batchId' in row.source ? row.source.batchId : null,
      'groupName' in row.source ? row.source.groupName : null,
      row.every,
      row.weekday,
      row.monthDay,
      row.day,
      row.minute,
      row.makerId,
      row.setAt,
    ],
  )
}

/** Ends a schedule; `endedBy` null: its only time has come. Undefined: there is none, or it has ended. Waits for a process that runs it. */
export async function endSchedule(
  trx: TrxClient,
  { applicationId, scheduleId, endedBy }: Key & { endedBy: string | null },
): Promise<string | undefined> {
  const { rows } = await trx.query<{ name: string }>(
    `update payment_schedules set ended_by = $3, ended_at = clock_timestamp()
      where application_id = $1 and schedule_id = $2 and ended_at is null returning name`,
    [applicationId, scheduleId, endedBy],
  )
  return rows[0]?.name
}

/** Whether one time of a schedule was run. */
export async function isTimeRun(queryable: Queryable, { applicationId, scheduleId }: Key, dueAt: Date): Promise<boolean> {
  const { rowCount } = await queryable.query('select from payment_runs where application_id = $1 and schedule_id = $2 and due_at = $3', [
    applicationId,
    scheduleId,
    dueAt,
  ])
  return rowCount === 1
}

export type PaymentRun = { dueAt: Date; outcome: PaymentRunOutcome; reason: RunRefusal | null; batchId: string | null }

/** Stores what became of one time of a schedule. The key refuses a second record. */
export async function insertRun(trx: TrxClient, { applicationId, scheduleId }: Key, run: PaymentRun): Promise<void> {
  await trx.query(
    'insert into payment_runs (application_id, schedule_id, due_at, outcome, reason, batch_id) values ($1, $2, $3, $4, $5, $6)',
    [applicationId, scheduleId, run.dueAt, run.outcome, run.reason, run.batchId],
  )
}

/** The newest runs of each schedule of an application. */
export async function listRunsOf(
  queryable: Queryable,
  applicationId: string,
  countMax: number,
): Promise<(Omit<PaymentRunDto, 'dueAt'> & { scheduleId: string; dueAt: Date })[]> {
  const { rows } = await queryable.query<Omit<PaymentRunDto, 'dueAt'> & { scheduleId: string; dueAt: Date }>(
    `select r.schedule_id as "scheduleId", r.due_at as "dueAt", r.outcome, r.reason, r.batch_id as "batchId"
       from payment_schedules s cross join lateral (select * from payment_runs r
         where r.application_id = s.application_id and r.schedule_id = s.schedule_id order by r.due_at desc limit $2) r
      where s.application_id = $1`,
    [applicationId, countMax],
  )
  return rows
}
