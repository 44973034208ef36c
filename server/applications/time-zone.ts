import { err, type Result } from '#lib/result.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { isTimeZone } from '#lib/time/time-zones.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { isZoneOfDatabase, requestZone, selectDayStarts } from './application-store.ts'
import { readTimeZone } from './terms-store.ts'

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

type RequestFailure = 'not_permitted' | 'unknown_application' | TimeZoneProblem

/**
 * Requests another business time zone: a task counts the sums of its days and switches to it, which takes a minute or two (ten million
 * transactions). Until then everybody sees the days of the old zone.
 */
export async function requestTimeZone(
  database: Database,
  command: { applicationId: string; timeZone: string; actor: CommandActor },
): Promise<Result<void, RequestFailure>> {
  const { applicationId, timeZone } = command
  return runCommand<void, RequestFailure>(database, command, 'access:change', async (trx) => {
    const problem = await checkTimeZone(trx, timeZone)
    if (problem) return err(problem)
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const present = await readTimeZone(trx, applicationId)
    await requestZone(trx, applicationId, timeZone)
    const details = { before: present?.timeZone ?? null, after: timeZone }
    return done({ action: 'application.time_zone_requested', subject: applicationId, details })
  })
}
