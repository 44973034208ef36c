import { randomBytes } from 'node:crypto'
import type { PasskeyRequest } from '#lib/people/passkeys.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { insertChallenge } from './challenge-store.ts'
import { listPasskeys } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

/** From the question to the answer of the device: the person has the page of what they confirm in front of them. */
const PROOF_MS = 2 * 60_000

/**
 * Begins a fresh proof with a passkey: returns what the browser needs to ask a device for one of this person's passkeys. The challenge counts
 * in this session only, and only to confirm something: `verifyFreshProof` accepts the answer once, within two minutes.
 */
export async function startPasskeyProof(
  { pool, clock, relyingParty }: { pool: Pool; clock: Clock; relyingParty: RelyingParty | undefined },
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<Result<PasskeyRequest, 'not_offered' | 'second_factor_missing'>> {
  if (!relyingParty) return err('not_offered')
  const passkeys = await listPasskeys(pool, personId)
  if (passkeys.length === 0) return err('second_factor_missing')
  const challenge = randomBytes(32).toString('base64url')
  const expiresAt = new Date(clock.now().getTime() + PROOF_MS)
  await insertChallenge(pool, challenge, { purpose: 'confirmation', personId, sessionId }, expiresAt)
  const allowed = passkeys.map(({ credentialId }) => credentialId)
  return ok({ challenge, rpId: relyingParty.id, timeoutMs: PROOF_MS, allowed })
}
