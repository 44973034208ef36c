import { err, ok, type Result } from '#lib/result.ts'
import type { SignInFailure, SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { findPersonByEmail } from './person-store.ts'
import { recordFailedSignIn } from './record-sign-in.ts'

type SignedInPerson = { personId: string; sessionEpoch: number; hasSecondFactor: boolean }

/**
 * The first step of a person's sign-in. An unknown address and a wrong password get the same answer at the same price;
 * `device` is set if the browser is known (see known-device.ts). If `hasSecondFactor`, the session begins only after
 * `verifySecondFactor`. `person_blocked` is returned only for the correct password.
 */
export async function verifyPersonPassword(
  deps: { pool: Pool; throttle: SignInThrottle },
  request: { email: string; password: string; peerAddress: string; device?: string | undefined },
): Promise<Result<SignedInPerson, SignInFailure | { kind: 'person_blocked' }>> {
  const email = request.email.trim().toLowerCase()
  const checked = await deps.throttle.check({
    scope: 'person',
    name: email,
    address: request.peerAddress,
    password: request.password,
    device: request.device,
    // PostgreSQL cannot store a NUL, so there is no such address.
    find: async () => (email.includes('\0') ? undefined : findPersonByEmail(deps.pool, email)),
    onWrong: ({ personId }, failures) => recordFailedSignIn(deps.pool, { personId, address: request.peerAddress, failures }),
  })
  if (!checked.ok) return checked
  const { personId, sessionEpoch, hasSecondFactor, isBlocked } = checked.value
  return isBlocked ? err({ kind: 'person_blocked' }) : ok({ personId, sessionEpoch, hasSecondFactor })
}
