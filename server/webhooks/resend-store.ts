import type { WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { SendResult } from './send/send-webhook.ts'

type ResendKey = { applicationId: string; transactionId: string }

export type ResendFactsRow = {
  target: string
  state: WebhookState
  /** An attempt of the schedule is claimed and has no outcome yet. */
  isAttemptInProgress: boolean
  hasWaitingResend: boolean
  lastNumber: number
  /** Resends that were requested in the last hour, and until when the oldest of the newest `limit` of them counts. */
  recentCount: number
  retryAfterMs: number | null
}

/** Returns the facts that decide whether a webhook may be resent now; undefined if the transaction has no delivery. */
export async function selectResendFacts(
  queryable: Queryable,
  key: ResendKey,
  { count, periodMs }: { count: number; periodMs: number },
): Promise<ResendFactsRow | undefined> {
  const { rows } = await queryable.query<ResendFactsRow>(
    `select d.target, d.state,
            d.state = 'due' and d.attempts > 0 and coalesce(d.claimed_until > clock_timestamp(), false) and not exists (select 1
              from webhook_attempts a where a.application_id = d.application_id and a.transaction_id = d.transaction_id and a.number = d.attempts) as "isAttemptInProgress",
            coalesce(r.has_waiting, false) as "hasWaitingResend", coalesce(r.last_number, 0) as "lastNumber",
            coalesce(r.recent_count, 0)::integer as "recentCount",
            ceil(extract(epoch from r.newest[$3] - clock_timestamp()) * 1000 + $4)::integer as "retryAfterMs"
       from webhook_deliveries d
       cross join lateral (
         select bool_or(w.outcome is null) as has_waiting, max(w.number) as last_number,
                count(*) filter (where w.requested_at > clock_timestamp() - $4 * interval '1 millisecond') as recent_count,
                array_agg(w.requested_at order by w.requested_at desc) as newest
           from webhook_resends w where w.application_id = d.application_id and w.transaction_id = d.transaction_id) r
       where d.application_id = $1 and d.transaction_id = $2`,
    [key.applicationId, key.transactionId, count, periodMs],
  )
  return rows[0]
}

/** Records a resend, due now. False if another one is waiting, or was requested at the same moment. */
export async function insertResend(
  queryable: Queryable,
  resend: ResendKey & { number: number; target: string; requestedBy: string },
): Promise<boolean> {
  const { rowCount } = await queryable.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at)
       values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp()) on conflict do nothing`,
    [resend.applicationId, resend.transactionId, resend.number, resend.target, resend.requestedBy],
  )
  return rowCount === 1
}

export type RecoveryScope = { since: Date; until: Date; includesDelivered: boolean }

/** Deliveries that ended within the range and are sent again. */
const RECOVERED = `d.application_id = $1 and d.finished_at >= $2 and d.finished_at < $3 and (d.state = 'exhausted' or ($4 and d.state = 'delivered'))`

/** How many deliveries a recovery goes through. */
export async function countRecovered(queryable: Queryable, applicationId: string, scope: RecoveryScope): Promise<number> {
  const { rows } = await queryable.query<{ count: bigint }>(`select count(*) as count from webhook_deliveries d where ${RECOVERED}`, [
    applicationId,
    scope.since,
    scope.until,
    scope.includesDelivered,
  ])
  return Number(rows[0]?.count ?? 0)
}

/** Stores a recovery; false if another one of the application has not ended. */
export async function insertRecovery(
  trx: Queryable,
  recovery: RecoveryScope & { applicationId: string; recoveryId: string; requestedBy: string; counted: number },
): Promise<boolean> {
  const { applicationId, recoveryId, since, until, includesDelivered, requestedBy, counted } = recovery
  const { rowCount } = await trx.query(
    `insert into webhook_recoveries (application_id, recovery_id, since, until, includes_delivered, requested_by, counted, cursor_at, cursor_id)
       values ($1, $2, $3, $4, $5, $6, $7, $3, '00000000-0000-0000-0000-000000000000')
       on conflict (application_id) where ended_at is null do nothing`,
    [applicationId, recoveryId, since, until, includesDelivered, requestedBy, counted],
  )
  return rowCount === 1
}

type OpenRecovery = RecoveryScope & {
  applicationId: string
  recoveryId: string
  requestedBy: string
  cursorAt: Date
  cursorId: string
}

/** The ids of the recoveries that have not ended. */
export async function selectOpenRecoveries(queryable: Queryable): Promise<{ applicationId: string; recoveryId: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; recoveryId: string }>(
    'select application_id as "applicationId", recovery_id as "recoveryId" from webhook_recoveries where ended_at is null',
  )
  return rows
}

/** Locks a recovery that has not ended; undefined if it ended or another process holds it. */
export async function lockRecovery(trx: Queryable, applicationId: string, recoveryId: string): Promise<OpenRecovery | undefined> {
  const { rows } = await trx.query<OpenRecovery>(
    `select application_id as "applicationId", recovery_id as "recoveryId", since, until, includes_delivered as "includesDelivered",
            requested_by as "requestedBy", date_trunc('milliseconds', cursor_at) as "cursorAt", cursor_id as "cursorId"
       from webhook_recoveries where application_id = $1 and recovery_id = $2 and ended_at is null for update skip locked`,
    [applicationId, recoveryId],
  )
  return rows[0]
}

/** How many resends of an application have no outcome yet, counted up to a limit. */
export async function countWaitingResends(trx: Queryable, applicationId: string, limit: number): Promise<number> {
  const { rowCount } = await trx.query('select 1 from webhook_resends where application_id = $1 and outcome is null limit $2', [
    applicationId,
    limit,
  ])
  return rowCount ?? 0
}

/**
 * Takes the next deliveries behind the cursor, requests a resend of each that has none waiting, and moves the cursor, in one statement.
 * Returns how many deliveries were taken.
 */
export async function resendNext(trx: Queryable, recovery: OpenRecovery, limit: number): Promise<number> {
  const { rows } = await trx.query<{ taken: bigint }>(
    `with own as (
       select cursor_at, cursor_id from webhook_recoveries where application_id = $1 and recovery_id = $5
     ), next as materialized (
       select d.transaction_id, d.target, d.finished_at from webhook_deliveries d, own
        where ${RECOVERED} and (d.finished_at, d.transaction_id) > (own.cursor_at, own.cursor_id)
        order by d.finished_at, d.transaction_id limit $6
     ), requested as (
       insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at)
         select $1, n.transaction_id, 1 + coalesce((select max(r.number) from webhook_resends r
                  where r.application_id = $1 and r.transaction_id = n.transaction_id), 0), n.target, $7, clock_timestamp(), clock_timestamp()
           from next n
         on conflict do nothing returning 1
     ), moved as (
       update webhook_recoveries w
          set cursor_at = l.finished_at, cursor_id = l.transaction_id, resent = w.resent + (select count(*) from requested)
         from (select n.finished_at, n.transaction_id from next n order by n.finished_at desc, n.transaction_id desc limit 1) l
        where w.application_id = $1 and w.recovery_id = $5
     )
     select count(*) as taken from next`,
    [recovery.applicationId, recovery.since, recovery.until, recovery.includesDelivered, recovery.recoveryId, limit, recovery.requestedBy],
  )
  return Number(rows[0]?.taken ?? 0)
}

/** Ends a recovery. Returns false if it has ended already. */
export async function endRecovery(trx: Queryable, applicationId: string, recoveryId: string, stoppedBy: string | null): Promise<boolean> {
  const { rowCount } = await trx.query(
    'update webhook_recoveries set ended_at = now(), stopped_by = $3 where application_id = $1 and recovery_id = $2 and ended_at is null',
    [applicationId, recoveryId, stoppedBy],
  )
  return rowCount === 1
}

type RecoveryRow = RecoveryScope & {
  recoveryId: string
  requestedBy: string | null
  requestedAt: Date
  counted: number
  resent: number
  endedAt: Date | null
  isStopped: boolean
}

/** The newest recoveries of an application. */
export async function selectRecoveries(queryable: Queryable, applicationId: string, limit: number): Promise<RecoveryRow[]> {
  const { rows } = await queryable.query<RecoveryRow>(
    `select w.recovery_id as "recoveryId", w.since, w.until, w.includes_delivered as "includesDelivered", p.name as "requestedBy",
            w.requested_at as "requestedAt", w.counted, w.resent, w.ended_at as "endedAt", w.stopped_by is not null as "isStopped"
       from webhook_recoveries w left join people p on p.person_id = w.requested_by
      where w.application_id = $1 order by w.requested_at desc limit $2`,
    [applicationId, limit],
  )
  return rows
}

/** Serialises the test events of an application, and returns how many there were in the last hour. */
export async function countTestsOfHour(trx: Queryable, applicationId: string): Promise<number> {
  await trx.query(`select pg_advisory_xact_lock(hashtextextended('webhook test ' || $1, 0))`, [applicationId])
  const { rows } = await trx.query<{ count: bigint }>(
    `select count(*) as count from webhook_tests where application_id = $1 and requested_at > now() - interval '1 hour'`,
    [applicationId],
  )
  return Number(rows[0]?.count ?? 0)
}

/** Tests that are kept per application. More than the limit of an hour, which is counted from them. */
const KEPT = 50

/** Stores that a test event is about to be sent. */
export async function insertTest(
  trx: Queryable,
  { applicationId, testId, url, requestedBy }: { applicationId: string; testId: string; url: string; requestedBy: string },
): Promise<void> {
  await trx.query('insert into webhook_tests (application_id, test_id, url, requested_by) values ($1, $2, $3, $4)', [
    applicationId,
    testId,
    url,
    requestedBy,
  ])
  await trx.query(
    `delete from webhook_tests where application_id = $1 and test_id in (
       select test_id from webhook_tests where application_id = $1 order by requested_at desc, test_id offset $2)`,
    [applicationId, KEPT],
  )
}

/** Stores how it ended. */
export async function storeTestResult(queryable: Queryable, applicationId: string, testId: string, result: SendResult): Promise<void> {
  await queryable.query(
    `update webhook_tests set outcome = $3, http_status = $4, detail = $5, duration_ms = $6, first_byte_ms = $7, response_start = $8
      where application_id = $1 and test_id = $2`,
    [applicationId, testId, result.outcome, result.httpStatus, result.detail, result.durationMs, result.firstByteMs, result.responseStart],
  )
}

type TestRow = {
  testId: string
  url: string
  requestedBy: string | null
  requestedAt: Date
  outcome: string | null
  httpStatus: number | null
  detail: string | null
  durationMs: number | null
  firstByteMs: number | null
  responseStart: string | null
}

/** The newest test events. */
export async function selectTests(queryable: Queryable, applicationId: string, limit: number): Promise<TestRow[]> {
  const { rows } = await queryable.query<TestRow>(
    `select w.test_id as "testId", w.url, p.name as "requestedBy", w.requested_at as "requestedAt", w.outcome, w.http_status as "httpStatus",
            w.detail, w.duration_ms as "durationMs", w.first_byte_ms as "firstByteMs", w.response_start as "responseStart"
       from webhook_tests w left join people p on p.person_id = w.requested_by
      where w.application_id = $1 order by w.requested_at desc, w.test_id limit $2`,
    [applicationId, limit],
  )
  return rows
}
