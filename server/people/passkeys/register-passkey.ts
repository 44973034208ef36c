import { randomBytes } from 'node:crypto'
import type { PasskeyCreation } from '#lib/people/passkeys.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findPassword } from '../person-store.ts'
import { verifyOwnPassword } from '../sign-in/passwords.ts'
import { verifySecondFactor } from '../sign-in/second-factor.ts'
import { needsPasskeySession, readSecondFactor } from '../sign-in/second-factor-store.ts'
import { recordPersonAct } from '../sign-in/sessions.ts'
import { insertChallenge, spendChallenge } from './challenge-store.ts'
import { type Attestation, readChallenge } from './passkey-answer.ts'
import { insertPasskey, listPasskeys, lockPasskeyCount } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

/** From the question to the answer of the device. */
export const CHALLENGE_MS = 5 * 60_000
const PASSKEYS_MAX = 10
const NAME_LENGTH_MAX = 60
const PRODUCT = 'Countersign'
/** EdDSA, ES256 and RS256: every device knows one of them. */
const ALGORITHMS = [-8, -7, -257]

type Deps = { pool: Pool; clock: Clock; throttle: SignInThrottle; relyingParty: RelyingParty | undefined }

type Start = { personId: string; password: string; code: string | undefined; peerAddress: string; usedPasskey?: boolean }
export type StartRegistrationFailure =
  | 'not_offered'
  | 'unknown_person'
  | 'passkey_needed'
  | 'wrong_password'
  | 'code_required'
  | 'wrong_code'
  | 'throttled'
  | 'too_many_passkeys'

/**
 * Begins a new passkey: returns what the browser needs to ask the device. A passkey replaces password and code, so a person proves both
 * first, the code where their authenticator app is set up. `passkey_needed`: passkeys are the second factor that one of their applications
 * requires, and the session was started without one (`usedPasskey`). The proof is in the challenge, which only this person can use, once.
 */
export async function startPasskeyRegistration(deps: Deps, command: Start): Promise<Result<PasskeyCreation, StartRegistrationFailure>> {
  const { pool, clock, relyingParty } = deps
  const { personId } = command
  if (!relyingParty) return err('not_offered')
  const proven = await proveOwner(deps, command)
  if (!proven.ok) return proven
  const [person, existing] = await Promise.all([findPassword(pool, personId), listPasskeys(pool, personId)])
  if (!person) return err('unknown_person')
  if (existing.length >= PASSKEYS_MAX) return err('too_many_passkeys')
  const challenge = randomBytes(32).toString('base64url')
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS)
  await insertChallenge(pool, challenge, { purpose: 'registration', personId }, expiresAt)
  return ok({
    challenge,
    rp: { id: relyingParty.id, name: PRODUCT },
    user: { id: handleOf(personId).toString('base64url'), name: person.email, displayName: person.name },
    algorithms: ALGORITHMS,
    existing: existing.map(({ credentialId }) => credentialId),
    timeoutMs: CHALLENGE_MS,
  })
}

/** The name under which a device keeps a person's passkey. It says nothing about them to anybody who reads the device. */
export function handleOf(personId: string): Buffer {
  return Buffer.from(personId.replaceAll('-', ''), 'hex')
}

async function proveOwner(deps: Deps, command: Start): Promise<Result<void, StartRegistrationFailure>> {
  const { personId, password, code, peerAddress, usedPasskey = false } = command
  if (!usedPasskey && (await needsPasskeySession(deps.pool, personId))) return err('passkey_needed')
  const known = await verifyOwnPassword(deps, { personId, password, peerAddress })
  if (!known.ok) return err(known.error.kind === 'wrong_credentials' ? 'wrong_password' : known.error.kind)
  if (!(await readSecondFactor(deps.pool, personId))?.isEnabled) return ok(undefined)
  if (!code) return err('code_required')
  const verified = await verifySecondFactor(deps, { personId, code, allowsRecovery: false, purpose: 'confirmation' })
  if (verified.ok) return ok(undefined)
  return err(verified.error.kind === 'wrong_code' ? 'wrong_code' : 'throttled')
}

export type RegistrationFailure = 'not_offered' | 'invalid_name' | 'refused' | 'too_many_passkeys'

/**
 * Stores the passkey that a device made for the challenge of `startPasskeyRegistration`. `refused`: the answer is not what was asked for, is
 * late, or was used before; the device did not verify its user; or the passkey is known.
 */
export async function registerPasskey(
  deps: Omit<Deps, 'throttle'>,
  command: { personId: string; name: string; attestation: Attestation },
): Promise<Result<void, RegistrationFailure>> {
  const { pool, clock, relyingParty } = deps
  const { personId, attestation } = command
  const name = command.name.trim()
  if (!relyingParty) return err('not_offered')
  if (name.length < 1 || name.length > NAME_LENGTH_MAX || name.includes('\0')) return err('invalid_name')
  const challenge = readChallenge(attestation.clientDataJSON)
  if (challenge === undefined) return err('refused')
  if (!(await spendChallenge(pool, challenge, { purpose: 'registration', personId }, clock.now()))) return err('refused')
  const made = await verifyAttestation(attestation, challenge, relyingParty)
  if (!made) return err('refused')
  return withTransaction<void, RegistrationFailure>(pool, async (trx) => {
    if ((await lockPasskeyCount(trx, personId)) >= PASSKEYS_MAX) return err('too_many_passkeys')
    const passkey = { ...made, personId, name, transports: attestation.transports, createdAt: clock.now() }
    if (!(await insertPasskey(trx, passkey))) return err('refused')
    await recordPersonAct(trx, { personId, action: 'person.passkey_added', details: { name }, isAccountChange: true })
    return ok(undefined)
  })
}

type MadePasskey = { credentialId: string; publicKey: Uint8Array; signCount: number }

async function verifyAttestation(
  { id, clientDataJSON, attestationObject }: Attestation,
  challenge: string,
  { id: rpId, origin }: RelyingParty,
): Promise<MadePasskey | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || registrationInfo.credential.id !== id) return undefined
    const { publicKey, counter } = registrationInfo.credential
    return { credentialId: id, publicKey, signCount: counter }
  } catch {
    // The library says by an exception that an answer is wrong, whatever is wrong with it.
    return undefined
  }
}
