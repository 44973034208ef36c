import type { UtcDay } from '#lib/time.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Whether the database has a time zone of exactly this name. */
export async function isZoneOfDatabase(queryable: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select from pg_timezone_names where name = $1', [name])
  return rowCount === 1
}

/** When the days from one to another begin in a zone. */
export async function selectDayStarts(
  queryable: Queryable,
  timeZone: string,
  from: UtcDay,
  to: UtcDay,
): Promise<{ day: UtcDay; start: Date }[]> {
  const { rows } = await queryable.query<{ day: UtcDay; start: Date }>(
    `select d::date as day, d at time zone $1 as start from generate_series($2::timestamp, $3::timestamp, interval '1 day') as d`,
    [timeZone, from, to],
  )
  return rows
}

/**
 * Lets an application have a zone as soon as its sums are counted, and no longer the one that it waited for; UTC at once, because its sums
 * are the roll-ups themselves.
 */
export async function requestZone(trx: Queryable, applicationId: string, timeZone: string): Promise<void> {
  await trx.query('update day_zones set is_wanted = false where application_id = $1 and is_wanted', [applicationId])
  if (timeZone === 'UTC') await trx.query(`update applications set time_zone = 'UTC' where application_id = $1`, [applicationId])
  else
    await trx.query(
      `insert into day_zones (application_id, time_zone, is_wanted) values ($1, $2, true)
         on conflict (application_id, time_zone) do update set is_wanted = true, last_used_at = clock_timestamp()`,
      [applicationId, timeZone],
    )
}
