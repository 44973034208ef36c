import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { hashPassword } from '#server/credentials/password.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findInvitation, type InvitationFailure } from './find-invitation.ts'
import { type JoinOrigin, joinApplication } from './join-application.ts'
import { findPasswordProblem, type PasswordProblem } from './password-rule.ts'
import { insertPerson } from './person-store.ts'

type AcceptFailure =
  | InvitationFailure
  /** Somebody signs in with this e-mail address: they accept in their own session (`acceptOwnInvitation`). */
  | 'has_account'
  | 'invalid_name'
  | PasswordProblem
type Accepted = { personId: string; email: string; requiresSecondFactor: boolean }
type Acceptance = { token: string; name: string; password: string; origin: JoinOrigin }

/**
 * Uses a link, once: a new person chooses name and password. They can sign in, and have no rights before `activateMembership`. Nobody is signed
 * in here.
 */
export async function acceptInvitation(pool: Pool, command: Acceptance): Promise<Result<Accepted, AcceptFailure>> {
  const { token, password } = command
  const name = command.name.trim()
  const found = await findInvitation(pool, token, { locks: false })
  if (!found.ok) return found
  if (found.value.isKnown) return err('has_account')
  if (name.length < 1 || name.length > 200 || name.includes('\0')) return err('invalid_name')
  const problem = await findPasswordProblem(password, { email: found.value.email, name })
  if (problem) return err(problem)
  // Outside the transaction, and only for a right token: hashing takes time on purpose.
  const passwordHash = await hashPassword(password)
  return withTransaction<Accepted, AcceptFailure>(pool, (trx) => accept(trx, token, { name, passwordHash, origin: command.origin }))
}

async function accept(
  trx: TrxClient,
  token: string,
  { name, passwordHash, origin }: { name: string; passwordHash: string; origin: JoinOrigin },
): Promise<Result<Accepted, AcceptFailure>> {
  const found = await findInvitation(trx, token, { locks: true })
  if (!found.ok) return found
  const { email, requiresSecondFactor } = found.value
  const { personId, isNew } = await insertPerson(trx, { personId: randomUUID(), email, name, passwordHash })
  // The account was created a moment ago.
  if (!isNew) return err('has_account')
  await joinApplication(trx, { invitation: found.value, personId, name, origin })
  return ok({ personId, email, requiresSecondFactor })
}
