import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updateApiUserBlocked } from './api-user-store.ts'

/** Blocks a partner's program (403 within a second in every process) or unblocks it. */
export async function blockApiUser(
  database: Database,
  command: { applicationId: string; apiUserId: string; isBlocked: boolean; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_user'>> {
  const { applicationId, apiUserId, isBlocked, actor } = command
  // Blocking only takes access away.
  if (!mayAct(actor, applicationId, isBlocked ? 'access:revoke' : 'access:change')) return err('not_permitted')
  return withTransaction(database, async (trx) => {
    if (!(await updateApiUserBlocked(trx, applicationId, apiUserId, isBlocked))) return err('unknown_user')
    await appendAudit(trx, { applicationId, actor, action: isBlocked ? 'api_user.blocked' : 'api_user.unblocked', subject: apiUserId })
    return ok(undefined)
  })
}
