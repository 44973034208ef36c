import { dayIn } from '#lib/business-days.ts'
import { isTimeZone } from '#lib/time-zones.ts'
import type { Queryable } from '#server/database/pool.ts'
import { isZoneOfDatabase, selectDayStarts } from './time-zone-store.ts'

export type TimeZoneProblem = 'unknown_time_zone' | 'unusable_time_zone'

/** Before a day begins, some moments of the hour in which clocks are set back. */
const BEFORE_MS = [1, 61_000, 1_800_000, 3_599_000, 3_661_000]

/**
 * Why a name cannot be a business time zone; null if it can. It must be the exact name of a zone that both the database and this program know.
 * Its days from 2020 to 2035 must begin at the same instants for both, and follow one another: where clocks are set back over midnight, a
 * day would return after the next one had started.
 */
export async function checkTimeZone(queryable: Queryable, name: string): Promise<TimeZoneProblem | null> {
  if (!isTimeZone(name) || !(await isZoneOfDatabase(queryable, name))) return 'unknown_time_zone'
  for (const { day, start } of await selectDayStarts(queryable, name, '2020-01-01', '2035-12-31')) {
    const isBefore = (ms: number) => dayIn(name, new Date(start.getTime() - ms)) < day
    if (dayIn(name, start) !== day || !BEFORE_MS.every(isBefore)) return 'unusable_time_zone'
  }
  return null
}
