import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { insertApiUser } from './api-user-store.ts'

type CreateApiUser = { applicationId: string; username: string; actor: CommandActor }

/** Makes the sign-in of a partner's program. Its password is random and returned only once. */
export async function createApiUser(
  database: Database,
  command: CreateApiUser,
): Promise<
  Result<{ apiUserId: string; password: string }, 'not_permitted' | 'invalid_username' | 'unknown_application' | 'username_taken'>
> {
  const { applicationId, actor } = command
  const username = command.username.trim()
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  if (username.length < 3 || username.length > 320 || /[\s\0]/.test(username)) return err('invalid_username')
  const apiUserId = randomUUID()
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return withTransaction(database, async (trx) => {
    const outcome = await insertApiUser(trx, { applicationId, apiUserId, username, passwordHash })
    if (outcome !== 'created') return err(outcome)
    await appendAudit(trx, { applicationId, actor, action: 'api_user.created', subject: apiUserId, details: { username } })
    return ok({ apiUserId, password })
  })
}
