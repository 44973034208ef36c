import { randomUUID } from 'node:crypto'
import { err, type Result } from '#lib/result.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { Database } from '#server/database/pool.ts'
import { insertApiUser, updateApiUserBlocked, updateApiUserPassword } from './api-user-store.ts'
import { revokeUserTokens } from './token-store.ts'

type CreateApiUser = { applicationId: string; username: string; actor: CommandActor; requestedBy?: string }
type CreateFailure = 'not_permitted' | 'invalid_username' | 'unknown_application' | 'username_taken'

/** Makes the sign-in of a partner's program. Its password is random and returned only once, to the person in `requestedBy` if people agreed on it. */
export async function createApiUser(
  database: Database,
  command: CreateApiUser,
): Promise<Result<{ apiUserId: string; password: string }, CreateFailure>> {
  const { applicationId, actor } = command
  const username = command.username.trim()
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  if (username.length < 3 || username.length > 320 || /[\s\0]/.test(username)) return err('invalid_username')
  const apiUserId = randomUUID()
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return runCommand<{ apiUserId: string; password: string }, CreateFailure>(database, command, 'access:change', async (trx) => {
    const outcome = await insertApiUser(trx, { applicationId, apiUserId, username, passwordHash, passwordHolder: command.requestedBy })
    if (outcome !== 'created') return err(outcome)
    return done({ action: 'api_user.created', subject: apiUserId, details: { username } }, { apiUserId, password })
  })
}

/** Blocks a partner's program (403 within a second in every process) or unblocks it. */
export async function blockApiUser(
  database: Database,
  command: { applicationId: string; apiUserId: string; isBlocked: boolean; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_user'>> {
  const { applicationId, apiUserId, isBlocked } = command
  // Blocking only takes access away.
  return runCommand(database, command, isBlocked ? 'access:revoke' : 'access:change', async (trx) => {
    if (!(await updateApiUserBlocked(trx, applicationId, apiUserId, isBlocked))) return err('unknown_user')
    return done({ action: isBlocked ? 'api_user.blocked' : 'api_user.unblocked', subject: apiUserId })
  })
}

/**
 * Sets a new random password for a partner's program and returns it only once, as `createApiUser` does. Ends its refresh tokens immediately and its
 * access tokens within a second in every process.
 */
export async function resetApiUserPassword(
  database: Database,
  command: { applicationId: string; apiUserId: string; actor: CommandActor; requestedBy?: string },
): Promise<Result<{ password: string }, 'not_permitted' | 'unknown_user'>> {
  const { applicationId, apiUserId, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return runCommand(database, command, 'access:change', async (trx) => {
    const stored = { applicationId, apiUserId, passwordHash, passwordHolder: command.requestedBy }
    if (!(await updateApiUserPassword(trx, stored))) return err('unknown_user')
    await revokeUserTokens(trx, applicationId, apiUserId)
    return done({ action: 'api_user.password_reset', subject: apiUserId }, { password })
  })
}
