import { err, ok, type Result } from '#lib/result.ts'
import type { SignInFailure, SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { findPassword } from './person-store.ts'
import { recordFailedSignIn } from './record-sign-in.ts'

/** Checks the password of a person who is signed in. Required before the password or the second factor changes. */
export async function verifyOwnPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  request: { personId: string; password: string; peerAddress: string },
): Promise<Result<void, SignInFailure | { kind: 'unknown_person' }>> {
  const { personId } = request
  const person = await findPassword(deps.pool, personId)
  if (!person) return err({ kind: 'unknown_person' })
  const checked = await deps.throttle.check({
    scope: 'person',
    name: person.email,
    address: request.peerAddress,
    password: request.password,
    // Signed in already: floods from elsewhere do not count here, only this person's own guesses do.
    device: personId,
    find: async () => person,
    onWrong: (_, failures) => recordFailedSignIn(deps.pool, { personId, address: request.peerAddress, failures }),
  })
  return checked.ok ? ok(undefined) : checked
}
