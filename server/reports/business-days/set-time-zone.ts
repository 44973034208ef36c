import { err, ok, type Result } from '#lib/result.ts'
import { checkTimeZone, type TimeZoneProblem } from '#server/applications/check-time-zone.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { countZone } from './count-zone.ts'
import { lockTimeZone, switchTimeZone } from './day-zone-store.ts'

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
export function changeZone(pool: Pool, { applicationId, timeZone, actor }: SetTimeZone): Promise<Result<Changed, 'unknown_application'>> {
  return withTransaction<Changed, 'unknown_application'>(pool, async (trx) => {
    const before = await lockTimeZone(trx, applicationId)
    if (before === undefined) return err('unknown_application')
    if (!(await switchTimeZone(trx, applicationId, timeZone))) throw new Error(`The sums of ${timeZone} are not complete`)
    if (before !== timeZone)
      await appendAudit(trx, {
        applicationId,
        actor,
        action: 'application.time_zone_set',
        subject: applicationId,
        details: { before, after: timeZone },
      })
    return ok({ before, after: timeZone })
  })
}
