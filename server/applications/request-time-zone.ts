import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkTimeZone, type TimeZoneProblem } from './check-time-zone.ts'
import { readTimeZone } from './terms-queries.ts'
import { requestZone } from './time-zone-store.ts'

type RequestFailure = 'not_permitted' | 'unknown_application' | TimeZoneProblem

/**
 * Requests another business time zone: a task counts the sums of its days and switches to it, which takes a minute or two (ten million
 * transactions). Until then everybody sees the days of the old zone.
 */
export async function requestTimeZone(
  database: Database,
  { applicationId, timeZone, actor }: { applicationId: string; timeZone: string; actor: CommandActor },
): Promise<Result<void, RequestFailure>> {
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  return withTransaction<void, RequestFailure>(database, async (trx) => {
    const problem = await checkTimeZone(trx, timeZone)
    if (problem) return err(problem)
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const present = await readTimeZone(trx, applicationId)
    await requestZone(trx, applicationId, timeZone)
    const details = { before: present?.timeZone ?? null, after: timeZone }
    await appendAudit(trx, { applicationId, actor, action: 'application.time_zone_requested', subject: applicationId, details })
    return ok(undefined)
  })
}
