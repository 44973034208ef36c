import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updateApiUserPassword } from './api-user-store.ts'
import { revokeUserTokens } from './token-store.ts'

/**
 * Sets a new random password for a partner's program and returns it only once. Ends its refresh tokens immediately and its
 * access tokens within a second in every process.
 */
export async function resetApiUserPassword(
  database: Database,
  command: { applicationId: string; apiUserId: string; actor: CommandActor },
): Promise<Result<{ password: string }, 'not_permitted' | 'unknown_user'>> {
  const { applicationId, apiUserId, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return withTransaction(database, async (trx) => {
    if (!(await updateApiUserPassword(trx, applicationId, apiUserId, passwordHash))) return err('unknown_user')
    await revokeUserTokens(trx, applicationId, apiUserId)
    await appendAudit(trx, { applicationId, actor, action: 'api_user.password_reset', subject: apiUserId })
    return ok({ password })
  })
}
