import { err, ok, type Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { findPersonByEmail } from './person-store.ts'
import type { SignInFailure, SignInThrottle } from './sign-in-throttle.ts'

export type SignedInPerson = { personId: string; sessionEpoch: number; hasSecondFactor: boolean }

/**
 * The first step of a person's sign-in. Unknown address, wrong password: one answer, one price; throttled like partners'
 * sign-ins, and like there a right password always gets in. Where `hasSecondFactor`, the session begins only after
 * `verifySecondFactor`. Only who knows the password learns that the person is blocked.
 */
export async function verifyPersonPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  request: { email: string; password: string; peerAddress: string },
): Promise<Result<SignedInPerson, SignInFailure | { kind: 'person_blocked' }>> {
  const email = request.email.trim().toLowerCase()
  // PostgreSQL cannot hold a NUL, so nobody can have such an address.
  const person = email.includes('\0') ? undefined : await findPersonByEmail(deps.pool, email)
  const checked = await deps.throttle.check({
    scope: 'person',
    name: email,
    address: request.peerAddress,
    password: request.password,
    passwordHash: person?.passwordHash,
  })
  if (!checked.ok) return checked
  if (!person) throw new Error('A password was right for a person who does not exist')
  if (person.isBlocked) return err({ kind: 'person_blocked' })
  return ok({ personId: person.personId, sessionEpoch: person.sessionEpoch, hasSecondFactor: person.hasSecondFactor })
}
