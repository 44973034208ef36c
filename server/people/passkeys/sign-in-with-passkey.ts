import { randomBytes } from 'node:crypto'
import type { PasskeyRequest } from '#lib/people/passkeys.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { deleteChallengesBefore, insertChallenge } from './challenge-store.ts'
import type { Assertion } from './passkey-answer.ts'
import { CHALLENGE_MS } from './register-passkey.ts'
import type { RelyingParty } from './relying-party.ts'
import { verifyAssertion } from './verify-assertion.ts'

type Deps = { pool: Pool; clock: Clock; relyingParty: RelyingParty | undefined }

/** Begins a sign-in with a passkey: returns what the browser needs to ask for one. Whose it is, the answer says. */
export async function startPasskeySignIn({ pool, clock, relyingParty }: Deps): Promise<Result<PasskeyRequest, 'not_offered'>> {
  if (!relyingParty) return err('not_offered')
  const challenge = randomBytes(32).toString('base64url')
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS)
  await insertChallenge(pool, challenge, { purpose: 'sign_in', personId: null }, expiresAt)
  return ok({ challenge, rpId: relyingParty.id, timeoutMs: CHALLENGE_MS })
}

type SignedInPerson = { personId: string; sessionEpoch: number; email: string }
export type PasskeySignInFailure = 'not_offered' | 'refused' | 'person_blocked'

/**
 * Checks the answer of a device. The signature proves the device and, because the device verified its user, the person too: password and
 * second factor in one. `refused`: the answer is for another site or challenge, late or repeated, without that verification, not by the
 * key of a person here, or from a copy of the key. `person_blocked` is returned only for a right answer.
 */
export async function verifyPasskeySignIn(
  { pool, clock, relyingParty }: Deps,
  { assertion, peerAddress }: { assertion: Assertion; peerAddress: string },
): Promise<Result<SignedInPerson, PasskeySignInFailure>> {
  if (!relyingParty) return err('not_offered')
  const use = { purpose: 'sign_in', personId: null } as const
  const passkey = await verifyAssertion({ pool, clock, relyingParty }, { assertion, use, peerAddress })
  if (!passkey) return err('refused')
  const { personId, sessionEpoch, email, isBlocked } = passkey
  return isBlocked ? err('person_blocked') : ok({ personId, sessionEpoch, email })
}

/** Removes challenges that nobody answered in time. For the scheduled cleaning. */
export async function forgetChallenges(pool: Pool, now: Date): Promise<void> {
  // A minute more: the clock of another process may be behind.
  await deleteChallengesBefore(pool, new Date(now.getTime() - 60_000))
}
