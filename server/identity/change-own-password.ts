import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { hashPassword } from './password.ts'
import { findPassword, updatePerson } from './person-store.ts'
import type { SignInFailure, SignInThrottle } from './sign-in-throttle.ts'

/** Length is what makes a password strong; rules about its characters do not. */
const LENGTH_MIN = 12
const LENGTH_MAX = 1_024

export type ChangeOwnPassword = { personId: string; currentPassword: string; newPassword: string; peerAddress: string }

/**
 * A person sets a new password, proving they know the present one (throttled like a sign-in). All their sessions end, this
 * one too: gives the epoch under which a new one may begin.
 */
export async function changeOwnPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  command: ChangeOwnPassword,
): Promise<Result<{ sessionEpoch: number }, SignInFailure | { kind: 'password_too_short' } | { kind: 'unknown_person' }>> {
  const { personId, newPassword } = command
  if (newPassword.length < LENGTH_MIN || newPassword.length > LENGTH_MAX) return err({ kind: 'password_too_short' })
  const person = await findPassword(deps.pool, personId)
  if (!person) return err({ kind: 'unknown_person' })
  const checked = await deps.throttle.check({
    scope: 'person',
    name: person.email,
    address: command.peerAddress,
    password: command.currentPassword,
    // Signed in already: floods from elsewhere do not count here, only this person's own guesses do.
    device: personId,
    find: async () => person,
  })
  if (!checked.ok) return checked
  const passwordHash = await hashPassword(newPassword)
  return withTransaction<{ sessionEpoch: number }, { kind: 'unknown_person' }>(deps.pool, async (trx) => {
    const sessionEpoch = await updatePerson(trx, personId, { passwordHash, endsSessions: true })
    if (sessionEpoch === undefined) return err({ kind: 'unknown_person' })
    await appendAudit(trx, {
      applicationId: SERVICE_WIDE,
      actor: { kind: 'person', id: personId },
      action: 'person.password_changed',
      subject: personId,
    })
    return ok({ sessionEpoch })
  })
}
