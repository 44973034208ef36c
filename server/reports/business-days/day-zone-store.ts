import { lockCounters } from '#server/database/application-locks.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Starts to count the edges of a zone, unless it has been started. */
export async function beginZone(queryable: Queryable, applicationId: string, timeZone: string): Promise<void> {
  await queryable.query('select begin_day_zone($1, $2)', [applicationId, timeZone])
}

/** Counts the next older transactions for a zone; returns from which sequence on all are counted. */
export async function countEdges(queryable: Queryable, applicationId: string, timeZone: string, countMax: number): Promise<bigint> {
  const { rows } = await queryable.query<{ from: bigint }>('select count_day_edges($1, $2, $3) as "from"', [
    applicationId,
    timeZone,
    countMax,
  ])
  const from = rows[0]?.from
  if (from === undefined) throw new Error('A function returns a row')
  return from
}

/** Counts the postings for a zone, unless they are counted. */
export async function countLedgerEdges(queryable: Queryable, applicationId: string, timeZone: string): Promise<void> {
  await queryable.query('select count_ledger_edges($1, $2)', [applicationId, timeZone])
}

/** The zone of an application, held until the transaction ends; undefined if there is no such application. */
export async function lockTimeZone(trx: Queryable, applicationId: string): Promise<string | undefined> {
  const { rows } = await trx.query<{ timeZone: string }>(
    'select time_zone as "timeZone" from applications where application_id = $1 for no key update',
    [applicationId],
  )
  return rows[0]?.timeZone
}

/** Sets an application's zone, whose edges are all counted, in place of the one that it waited for. Returns false if they are not. */
export async function switchTimeZone(trx: Queryable, applicationId: string, timeZone: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    `update applications a set time_zone = $2 where a.application_id = $1
       and ($2 = 'UTC' or exists (select from day_zones z where z.application_id = $1 and z.time_zone = $2 and z.counted_from = 1
                                    and z.is_ledger_counted))`,
    [applicationId, timeZone],
  )
  await trx.query('update day_zones set is_wanted = false, last_used_at = clock_timestamp() where application_id = $1', [applicationId])
  return rowCount === 1
}

type ApplicationZone = { applicationId: string; timeZone: string }

/** The zones that applications get as soon as they are counted. */
export async function selectWantedZones(queryable: Queryable): Promise<ApplicationZone[]> {
  const { rows } = await queryable.query<ApplicationZone>(
    'select application_id as "applicationId", time_zone as "timeZone" from day_zones where is_wanted order by application_id',
  )
  return rows
}

/** Whether an application still waits for this zone. */
export async function isWanted(queryable: Queryable, { applicationId, timeZone }: ApplicationZone): Promise<boolean> {
  const { rowCount } = await queryable.query('select from day_zones where application_id = $1 and time_zone = $2 and is_wanted', [
    applicationId,
    timeZone,
  ])
  return rowCount === 1
}

/** The zones that no application has used for a day. */
export async function selectUnusedZones(queryable: Queryable): Promise<ApplicationZone[]> {
  const { rows } = await queryable.query<ApplicationZone>(
    `select z.application_id as "applicationId", z.time_zone as "timeZone" from day_zones z
       join applications a on a.application_id = z.application_id
       where z.time_zone <> a.time_zone and not z.is_wanted and z.last_used_at < now() - interval '1 day'`,
  )
  return rows
}

/** Removes a zone and its sums, under the lock of the application's counters, so that nothing is counted for it meanwhile. */
export async function deleteZone(trx: Queryable, { applicationId, timeZone }: ApplicationZone): Promise<void> {
  await lockCounters(trx, applicationId)
  for (const table of ['day_zones', 'transaction_day_edges', 'ledger_day_edges'])
    await trx.query(`delete from ${table} where application_id = $1 and time_zone = $2`, [applicationId, timeZone])
}
