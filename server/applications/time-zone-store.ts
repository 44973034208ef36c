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
