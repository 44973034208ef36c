import { err, type FreshProofRefusal, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import type { Assertion } from '../passkeys/passkey-answer.ts'
import type { RelyingParty } from '../passkeys/relying-party.ts'
import { verifyAssertion } from '../passkeys/verify-assertion.ts'
import { forgiveFactorTries, noteWrongFactor, takeFactorTry } from './factor-tries.ts'
import { verifySecondFactor } from './second-factor.ts'
import { requiresSecondFactor } from './second-factor-store.ts'

/** The session whose page asked the device, the site that it belongs to, and the address of the request. */
type ProofContext = { sessionId: string; relyingParty: RelyingParty | undefined; peerAddress: string }

/**
 * By which a person who is signed in shows, at the moment of an act, that they hold their second factor: a one-time code, or the signature of a
 * passkey for a challenge of `startPasskeyProof`.
 */
export type FreshProof = { kind: 'code'; code: string } | { kind: 'passkey'; assertion: Assertion; context: ProofContext }

/** For the audit entry of the act: what it was confirmed with, if a proof was needed. `withPasskey`: the name of the passkey. */
export type ProvenBy = { withCode: true } | { withPasskey: string } | Record<string, never>

type Deps = { pool: Pool; clock: Clock }

/**
 * Verifies a fresh proof of a person, which uses it up. Codes and passkeys count their wrong tries together: after five, one try per 30 s is
 * allowed, right or wrong, and the twentieth ends the sessions of the person. Recovery codes are not accepted.
 */
export async function verifyFreshProof(
  deps: Deps,
  { personId, proof }: { personId: string; proof: FreshProof },
): Promise<Result<ProvenBy, FreshProofRefusal>> {
  if (proof.kind === 'passkey') return verifyPasskeyProof(deps, personId, proof)
  const verified = await verifySecondFactor(deps, { personId, code: proof.code, allowsRecovery: false, purpose: 'confirmation' })
  if (verified.ok) return ok({ withCode: true })
  const refusals = {
    wrong_code: 'wrong_code',
    throttled: 'code_throttled',
    too_many: 'code_throttled',
    not_enabled: 'second_factor_missing',
  } as const
  return err(refusals[verified.error.kind])
}

async function verifyPasskeyProof(
  { pool, clock }: Deps,
  personId: string,
  { assertion, context }: Extract<FreshProof, { kind: 'passkey' }>,
): Promise<Result<ProvenBy, FreshProofRefusal>> {
  const tries = await takeFactorTry(pool, { personId, purpose: 'confirmation' }, clock.now())
  if (tries === undefined) return err('code_throttled')
  const { sessionId, relyingParty, peerAddress } = context
  const use = { purpose: 'confirmation', personId, sessionId } as const
  const passkey = relyingParty && (await verifyAssertion({ pool, clock, relyingParty }, { assertion, use, peerAddress }))
  if (!passkey || passkey.isBlocked) {
    const { isTooMany } = await noteWrongFactor(pool, { personId, purpose: 'confirmation', tries, triedWith: 'passkey' })
    return err(isTooMany ? 'code_throttled' : 'passkey_refused')
  }
  await forgiveFactorTries(pool, { personId, purpose: 'confirmation' })
  return ok({ withPasskey: passkey.name })
}

/**
 * Verifies the fresh proof of a person who confirms something, which uses it up: wherever one of the applications concerned requires the second
 * factor, a session is not enough to move money or to change who may. The command calls it itself, before its transaction, so that no caller can
 * leave it out and a wrong try counts even though nothing else happens.
 */
export async function checkFreshProof(
  deps: Deps,
  { applicationIds, personId, proof }: { applicationIds: readonly string[]; personId: string; proof: FreshProof | undefined },
): Promise<Result<ProvenBy, FreshProofRefusal>> {
  if (!(await requiresSecondFactor(deps.pool, applicationIds))) return ok({})
  return proof ? verifyFreshProof(deps, { personId, proof }) : err('code_required')
}
