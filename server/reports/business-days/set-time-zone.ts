import { err, ok, type Result } from '#lib/result.ts'
import { checkTimeZone, type TimeZoneProblem } from '#server/applications/time-zone.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import {
  beginZone,
  countEdges,
  countLedgerEdges,
  deleteZone,
  isWanted,
  lockTimeZone,
  selectUnusedZones,
  selectWantedZones,
  switchTimeZone,
} from './day-zone-store.ts'

type SetTimeZone = { applicationId: string; timeZone: string; actor: CommandActor }
type Changed = { before: string; after: string }

/**
 * Sets the business time zone of an application. Its sums by business day are counted first, which takes about a minute for ten million
 * transactions; until then everybody sees the days of the old zone. Reserved for the machine administrator, because it changes what every past
 * day means.
 */
export async function setTimeZone(
  pool: Pool,
  { applicationId, timeZone, actor }: SetTimeZone,
): Promise<Result<Changed, 'not_permitted' | 'unknown_application' | TimeZoneProblem>> {
  if (actor.kind !== SYSTEM_ACTOR.kind) return err('not_permitted')
  const problem = await checkTimeZone(pool, timeZone)
  if (problem) return err(problem)
  const known = await withTransaction<string, 'unknown_application'>(pool, async (trx) => {
    const before = await lockTimeZone(trx, applicationId)
    return before === undefined ? err('unknown_application') : ok(before)
  })
  if (!known.ok) return known
  await countZone(pool, { applicationId, timeZone })
  return changeZone(pool, { applicationId, timeZone, actor })
}

/** Switches to a zone that is counted, with an audit entry. */
function changeZone(pool: Pool, { applicationId, timeZone, actor }: SetTimeZone): Promise<Result<Changed, 'unknown_application'>> {
  return runRecorded<Changed, 'unknown_application'>(pool, { applicationId, actor }, async (trx) => {
    const before = await lockTimeZone(trx, applicationId)
    if (before === undefined) return err('unknown_application')
    if (!(await switchTimeZone(trx, applicationId, timeZone))) throw new Error(`The sums of ${timeZone} are not complete`)
    const changed = { before, after: timeZone }
    return done(before === timeZone ? null : { action: 'application.time_zone_set', subject: applicationId, details: changed }, changed)
  })
}

/** Transactions per statement: some ten milliseconds, for which the application's payments wait. */
const SLICE_MAX = 5_000

/**
 * Brings the sums by business day of a zone into being: what is created from now on is counted as it happens, what was created before slice by
 * slice. Can be interrupted and repeated. Returns false if `isEnding` stopped it.
 */
export async function countZone(
  pool: Pool,
  { applicationId, timeZone }: { applicationId: string; timeZone: string },
  isEnding: () => boolean = () => false,
): Promise<boolean> {
  // The roll-ups of UTC days need no edges.
  if (timeZone === 'UTC') return true
  await beginZone(pool, applicationId, timeZone)
  while ((await countEdges(pool, applicationId, timeZone, SLICE_MAX)) > 1n) if (isEnding()) return false
  await countLedgerEdges(pool, applicationId, timeZone)
  return true
}

/**
 * Switches each application to the zone that two administrators chose, as soon as its sums are counted: until then it keeps the days of the
 * zone before. An application that cannot be counted holds up no other. Removes the sums of zones that were left more than a day ago, when
 * no process reads them.
 */
export async function countWantedZones(pool: Pool, isEnding: () => boolean = () => false): Promise<void> {
  for (const wanted of await selectWantedZones(pool)) {
    if (isEnding()) return
    try {
      if ((await countZone(pool, wanted, isEnding)) && (await isWanted(pool, wanted)))
        await changeZone(pool, { ...wanted, actor: SYSTEM_ACTOR })
    } catch (error) {
      reportUnexpected('business days: count a zone', error, {
        message: 'The sums of a time zone could not be counted; the task of the next minute repeats it',
        applicationId: wanted.applicationId,
      })
    }
  }
  for (const unused of await selectUnusedZones(pool)) await withTransaction(pool, async (trx) => ok(await deleteZone(trx, unused)))
}
