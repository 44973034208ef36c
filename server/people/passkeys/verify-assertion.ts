import { ok } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from '../sign-in/sessions.ts'
import { type ChallengeUse, spendChallenge } from './challenge-store.ts'
import { type Assertion, readChallenge } from './passkey-answer.ts'
import { findPasskey, noteSignature, type StoredPasskey } from './passkey-store.ts'
import { handleOf } from './register-passkey.ts'
import type { RelyingParty } from './relying-party.ts'

type Deps = { pool: Pool; clock: Clock; relyingParty: RelyingParty }
type Answer = { assertion: Assertion; use: Exclude<ChallengeUse, { purpose: 'registration' }>; peerAddress: string }

/**
 * Checks the answer of a device to a challenge, for exactly the use that the challenge was made for, and uses the challenge up. Returns the passkey,
 * with its owner; undefined if the answer is for another site, use, person or session, late or repeated, without verification of the user, not
 * by the key of a person here, or from a copy of the key.
 */
export async function verifyAssertion(
  { pool, clock, relyingParty }: Deps,
  { assertion, use, peerAddress }: Answer,
): Promise<StoredPasskey | undefined> {
  const challenge = readChallenge(assertion.clientDataJSON)
  if (challenge === undefined) return undefined
  // Before anything else is looked at: a challenge is good for one answer, right or wrong.
  if (!(await spendChallenge(pool, challenge, use, clock.now()))) return undefined
  const passkey = await findPasskey(pool, assertion.id)
  if (!passkey || !isOfOwner(assertion, passkey.personId, use)) return undefined
  const signCount = await verifySignature(assertion, { challenge, passkey, relyingParty })
  if (signCount === undefined) return undefined
  if (await noteSignature(pool, assertion.id, signCount, clock.now())) return passkey
  await recordRefusal(pool, { personId: passkey.personId, peerAddress })
  return undefined
}

/** The device names the person whose passkey it used, except that some do not where they were asked for certain passkeys. */
function isOfOwner({ userHandle }: Assertion, personId: string, use: Answer['use']): boolean {
  if (use.personId !== null && use.personId !== personId) return false
  if (userHandle === null) return use.personId !== null
  return Buffer.from(userHandle, 'base64url').equals(handleOf(personId))
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

/** Nobody was identified: either the owner or the one who copied the key signed before. */
async function recordRefusal(pool: Pool, { personId, peerAddress }: { personId: string; peerAddress: string }): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const details = { address: peerAddress }
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action: 'person.passkey_refused', details, isAccountChange: false })
    return ok(undefined)
  })
}
