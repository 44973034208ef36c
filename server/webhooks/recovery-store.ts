import type { Queryable } from '#server/database/pool.ts'

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
