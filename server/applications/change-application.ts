import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type ApplicationChange, updateApplication } from './application-store.ts'

/**
 * Changes an application's settings; omitted settings are unchanged. Its administrators may rename it, require a second factor and
 * enable the extra webhook field. Switching it off and on is reserved for the machine administrator.
 */
export async function changeApplication(
  database: Database,
  command: { applicationId: string; change: ApplicationChange; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'invalid_name' | 'unknown_application'>> {
  const { applicationId, change, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  if (change.isEnabled !== undefined && actor.kind !== 'system') return err('not_permitted')
  const name = change.name?.trim()
  if (name !== undefined && (name.length < 1 || name.length > 200 || name.includes('\0'))) return err('invalid_name')
  return withTransaction(database, async (trx) => {
    if (!(await updateApplication(trx, applicationId, { ...change, name }))) return err('unknown_application')
    const details = Object.entries({ ...change, name }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'application.changed',
      subject: applicationId,
      details: Object.fromEntries(details),
    })
    return ok(undefined)
  })
}
