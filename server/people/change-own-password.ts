import { err, ok, type Result } from '#lib/result.ts'
import { hashPassword } from '#server/credentials/password.ts'
import type { SignInFailure, SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findPasswordProblem, type PasswordProblem } from './password-rule.ts'
import { findPassword, updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'
import { verifyOwnPassword } from './verify-own-password.ts'

type ChangeOwnPassword = { personId: string; currentPassword: string; newPassword: string; peerAddress: string }

/**
 * A person sets a new password, proving they know the present one (throttled like a sign-in). All their sessions end, this
 * one included. Returns the epoch under which a new one may begin.
 */
export async function changeOwnPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  command: ChangeOwnPassword,
): Promise<Result<{ sessionEpoch: number }, SignInFailure | { kind: PasswordProblem } | { kind: 'unknown_person' }>> {
  const { personId, newPassword } = command
  const person = await findPassword(deps.pool, personId)
  if (!person) return err({ kind: 'unknown_person' })
  const problem = await findPasswordProblem(newPassword, person)
  if (problem) return err({ kind: problem })
  const checked = await verifyOwnPassword(deps, { personId, password: command.currentPassword, peerAddress: command.peerAddress })
  if (!checked.ok) return checked
  const passwordHash = await hashPassword(newPassword)
  return withTransaction<{ sessionEpoch: number }, { kind: 'unknown_person' }>(deps.pool, async (trx) => {
    const sessionEpoch = await updatePerson(trx, personId, { passwordHash, endsSessions: true })
    if (sessionEpoch === undefined) return err({ kind: 'unknown_person' })
    await recordPersonAct(trx, { personId, action: 'person.password_changed', isAccountChange: true })
    return ok({ sessionEpoch })
  })
}
