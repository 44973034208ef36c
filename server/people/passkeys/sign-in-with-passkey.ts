import { randomBytes } from 'node:crypto'
import type { PasskeyRequest } from '#lib/people/passkeys.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from '../sessions.ts'
import { deleteChallengesBefore, insertChallenge, spendChallenge } from './challenge-store.ts'
import { type Assertion, readChallenge } from './passkey-answer.ts'
import { findPasskey, noteSignature, type StoredPasskey } from './passkey-store.ts'
import { CHALLENGE_MS, handleOf } from './register-passkey.ts'
import type { RelyingParty } from './relying-party.ts'

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
  const challenge = readChallenge(assertion.clientDataJSON)
  if (challenge === undefined) return err('refused')
  // Before anything else is looked at: a challenge is good for one answer, right or wrong.
  if (!(await spendChallenge(pool, challenge, { purpose: 'sign_in', personId: null }, clock.now()))) return err('refused')
  const passkey = await findPasskey(pool, assertion.id)
  if (!passkey || !isOfOwner(assertion, passkey.personId)) return err('refused')
  const signCount = await verifySignature(assertion, { challenge, passkey, relyingParty })
  if (signCount === undefined) return err('refused')
  if (!(await noteSignature(pool, assertion.id, signCount, clock.now()))) {
    await recordRefusal(pool, { personId: passkey.personId, peerAddress })
    return err('refused')
  }
  const { personId, sessionEpoch, email, isBlocked } = passkey
  return isBlocked ? err('person_blocked') : ok({ personId, sessionEpoch, email })
}

/** The device names the person whose passkey it used. */
function isOfOwner({ userHandle }: Assertion, personId: string): boolean {
  return userHandle !== null && Buffer.from(userHandle, 'base64url').equals(handleOf(personId))
}

type Expected = { challenge: string; passkey: StoredPasskey; relyingParty: RelyingParty }

/** How often the device has signed, if the signature is right; undefined if anything about the answer is wrong. */
async function verifySignature(
  { id, userHandle, ...signed }: Assertion,
  { challenge, passkey, relyingParty }: Expected,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: signed },
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      // The count is compared in the database, where two answers at once cannot both pass. With 0 the library accepts every count.
      credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // The library says by an exception that an answer is wrong, whatever is wrong with it.
    return undefined
  }
}

/** Nobody was identified: either the owner or the one who copied the key signed in before. */
async function recordRefusal(pool: Pool, { personId, peerAddress }: { personId: string; peerAddress: string }): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const details = { address: peerAddress }
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action: 'person.passkey_refused', details, isAccountChange: false })
    return ok(undefined)
  })
}

/** Removes challenges that nobody answered in time. For the scheduled cleaning. */
export async function forgetChallenges(pool: Pool, now: Date): Promise<void> {
  // A minute more: the clock of another process may be behind.
  await deleteChallengesBefore(pool, new Date(now.getTime() - 60_000))
}
