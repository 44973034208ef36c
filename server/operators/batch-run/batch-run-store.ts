import { RELEASE_DAYS_MAX } from '#lib/batches/batches.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

export type BatchRunState = 'running' | 'paused' | 'stopped'

/** A batch as far as its run goes. */
export type BatchRun = {
  /** Null for a batch of a program. */
  makerId: string | null
  state: BatchRunState
  /** The person who last paused, resumed or stopped it; null if nobody did. */
  changedBy: string | null
  /** Before this time its maker does not send it on; null: no time was chosen. */
  releaseAt: Date | null
  isTimed: boolean
  /** Whether that time has passed, by the clock of the database. */
  isDue: boolean
}

/** The run of a batch; undefined if the application has no transaction of such a batch. */
export async function selectRun(queryable: Queryable, applicationId: string, batchId: string): Promise<BatchRun | undefined> {
  const { rows } = await queryable.query<BatchRun>(
    `select t.maker_id as "makerId", coalesce(r.state, 'running') as state, r.changed_by as "changedBy",
       r.release_at as "releaseAt", coalesce(r.is_timed, false) as "isTimed", coalesce(r.release_at <= clock_timestamp(), true) as "isDue"
     from (select application_id, batch_id, maker_id from transactions
             where application_id = $1 and batch_id = $2 limit 1) t
       left join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id`,
    [applicationId, batchId],
  )
  return rows[0]
}

/** The state of a batch that a program made; undefined if the application has no such batch. */
export async function selectProgramBatchState(
  queryable: Queryable,
  applicationId: string,
  batchId: string,
): Promise<'submitting' | 'submitted' | undefined> {
  const { rows } = await queryable.query<{ state: 'submitting' | 'submitted' }>(
    `select state from batches where application_id = $1 and batch_id = $2 and api_user_id is not null`,
    [applicationId, batchId],
  )
  return rows[0]?.state
}

/** The rows of a batch that wait for a checker, in order. */
export async function selectWaiting(queryable: Queryable, applicationId: string, batchId: string): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>(
    `select transaction_id as id from transactions where application_id = $1 and batch_id = $2 and is_waiting order by sequence`,
    [applicationId, batchId],
  )
  return rows.map(({ id }) => id)
}

/** The rows of a locked batch of which nothing was ever sent, and nothing is being sent, in order. */
export async function selectUnsent(trx: TrxClient, applicationId: string, batchId: string): Promise<string[]> {
  const { rows } = await trx.query<{ id: string }>(
    `select t.transaction_id as id
       from transactions t join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
      where t.application_id = $1 and t.batch_id = $2 and t.status = 'PENDING' and w.state in ('queued', 'paused') and not w.is_claimed
        and not may_have_left(w.application_id, w.transaction_id, w.submissions)
      order by t.sequence`,
    [applicationId, batchId],
  )
  return rows.map(({ id }) => id)
}

/** Stores the last order to a batch. Without `releaseAt` a time that was chosen before is kept, but the service no longer sends the batch on then. */
export async function storeRun(
  trx: TrxClient,
  run: {
    applicationId: string
    batchId: string
    state: BatchRunState
    changedBy: string
    reason: string | null
    releaseAt?: Date | undefined
  },
): Promise<void> {
  await trx.query(
    `insert into batch_runs (application_id, batch_id, state, changed_by, reason, release_at, is_timed) values ($1, $2, $3, $4, $5, $6::timestamptz, $6::timestamptz is not null)
       on conflict (application_id, batch_id) do update
         set state = excluded.state, changed_by = excluded.changed_by, reason = excluded.reason, changed_at = clock_timestamp(),
           release_at = coalesce(excluded.release_at, batch_runs.release_at), is_timed = excluded.is_timed, released_at = null`,
    [run.applicationId, run.batchId, run.state, run.changedBy, run.reason, run.releaseAt ?? null],
  )
}

/** Batches whose time to be sent has come, by the clock of the database, the earliest first. */
export async function selectTimed(queryable: Queryable): Promise<{ applicationId: string; batchId: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; batchId: string }>(
    `select application_id as "applicationId", batch_id as "batchId" from batch_runs
     where is_timed and release_at <= clock_timestamp() order by release_at limit 100`,
  )
  return rows
}

/** Has a batch run whose time has come. Returns that time; undefined if another process was quicker, or a person changed it. */
export async function releaseRun(trx: TrxClient, applicationId: string, batchId: string): Promise<Date | undefined> {
  const { rows } = await trx.query<{ releaseAt: Date }>(
    `update batch_runs set state = 'running', is_timed = false, released_at = clock_timestamp()
     where application_id = $1 and batch_id = $2 and is_timed and release_at <= clock_timestamp() returning release_at as "releaseAt"`,
    [applicationId, batchId],
  )
  return rows[0]?.releaseAt
}

/** Whether an instant is in the future and at most 30 days ahead, by the clock of the database. */
export async function canRelease(queryable: Queryable, at: Date): Promise<boolean> {
  const { rows } = await queryable.query<{ can: boolean }>(
    `select $1::timestamptz > clock_timestamp() and $1::timestamptz <= clock_timestamp() + $2 * interval '1 day' as can`,
    [at, RELEASE_DAYS_MAX],
  )
  return rows[0]?.can ?? false
}

/**
 * Locks the open rows of a batch, regardless of their state, in the order in which answers lock theirs. After it every claim and every
 * answer has either committed or waits, so the next statement sees which rows are still to be sent. Returns how many
 * there are.
 */
export async function lockWork(trx: TrxClient, applicationId: string, batchId: string): Promise<number> {
  const { rowCount } = await trx.query(
    `select 1 from transactions t join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
     where t.application_id = $1 and t.batch_id = $2 and t.status = 'PENDING'
     order by w.application_id, w.transaction_id for update of w`,
    [applicationId, batchId],
  )
  return rowCount ?? 0
}

/** Rows of a locked batch that wait to be sent will not be claimed. Returns how many. */
export async function pauseWork(trx: TrxClient, applicationId: string, batchId: string): Promise<number> {
  const { rowCount } = await trx.query(
    `update operator_work w set state = 'paused', next_at = 'infinity' from transactions t
     where t.application_id = $1 and t.batch_id = $2 and t.status = 'PENDING'
       and w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.state = 'queued'`,
    [applicationId, batchId],
  )
  return rowCount ?? 0
}

/** Paused rows of a locked batch are due now. Returns how many. */
export async function resumeWork(trx: TrxClient, applicationId: string, batchId: string): Promise<number> {
  const { rowCount } = await trx.query(
    `update operator_work w set state = 'queued', next_at = clock_timestamp() from transactions t
     where t.application_id = $1 and t.batch_id = $2 and t.status = 'PENDING'
       and w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.state = 'paused'`,
    [applicationId, batchId],
  )
  return rowCount ?? 0
}

/** A row of a stopped batch that ends: `isDenied` if it was submitted and the operator has denied it since, otherwise it never left. */
type EndableRow = { id: string; isDenied: boolean }

/**
 * The rows of a locked, stopped batch that end now: those of which not one byte ever reached an operator, and those that the operator
 * denied after the stop, for long enough to be believed (store-operator-answers.sql).
 */
export async function selectEndable(trx: TrxClient, applicationId: string, batchId: string): Promise<EndableRow[]> {
  const { rows } = await trx.query<EndableRow>(
    `select r.id, r.is_sent as "isDenied"
     from (select t.sequence, w.transaction_id as id, w.state = 'paused' and w.absent_since is not null as is_denied,
                  may_have_left(w.application_id, w.transaction_id, w.submissions) as is_sent
           from transactions t join operator_work w on w.application_id = t.application_id and w.transaction_id = t.transaction_id
           where t.application_id = $1 and t.batch_id = $2 and t.status = 'PENDING' and w.state in ('queued', 'paused')) r
     where not r.is_sent or r.is_denied
     order by r.sequence`,
    [applicationId, batchId],
  )
  return rows
}

/**
 * Rows of a locked, stopped batch that waited to be sent again are queried instead: an earlier submission may have reached the operator, and
 * nothing of a stopped batch is sent. Call it after the rows of `selectEndable` have ended. Returns how many.
 */
export async function queryInsteadOfSending(trx: TrxClient, applicationId: string, batchId: string): Promise<number> {
  const { rowCount } = await trx.query(
    `update operator_work w set state = 'unconfirmed', next_at = clock_timestamp(), queries = 0, absent_since = null,
       unconfirmed_since = coalesce(w.unconfirmed_since, clock_timestamp())
     from transactions t
     where t.application_id = $1 and t.batch_id = $2 and t.status = 'PENDING'
       and w.application_id = t.application_id and w.transaction_id = t.transaction_id and w.state in ('queued', 'paused')`,
    [applicationId, batchId],
  )
  return rowCount ?? 0
}

/** Stopped batches that have rows to end. */
export async function selectStoppedWithWork(
  queryable: Queryable,
): Promise<{ applicationId: string; batchId: string; changedBy: string; reason: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; batchId: string; changedBy: string; reason: string }>(
    `select distinct r.application_id as "applicationId", r.batch_id as "batchId", r.changed_by as "changedBy", coalesce(r.reason, '') as reason
     from operator_work w
       join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
       join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id and r.state = 'stopped'
     where w.phase = 'paused' limit 100`,
  )
  return rows
}

/** Tells live pages that something changed although no transaction moved. Needs the application's lock. */
export async function noteRunChange(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query('update application_counters set change_number = change_number + 1 where application_id = $1', [applicationId])
}
