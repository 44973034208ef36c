import type { PasskeyRequest } from '#lib/people/passkeys.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { throttleAddress } from '#server/credentials/address.ts'
import { assertionSchema } from '#server/people/passkeys/passkey-answer.ts'
import { startPasskeyProof } from '#server/people/passkeys/prove-with-passkey.ts'
import { relyingPartyOf } from '#server/people/passkeys/relying-party.ts'
import { startPasskeySignIn, verifyPasskeySignIn } from '#server/people/passkeys/sign-in-with-passkey.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { backOfficeRuntime } from '../back-office-runtime.ts'
import { currentPerson } from '../current-person.ts'
import { markDevice, readSession } from './session.ts'
import { beginSession, peerAddress } from './sign-in.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How often each address may still begin or end a sign-in with a passkey, and each person begin a confirmation with one. */
    passkeyLimit: RateLimit
  }
}

/** A signature cannot be guessed; what is limited is the work, and the challenges, that anybody can cause. An office may share an address. */
const BURST = 60
const PER_SECOND = 1

function isThrottled(key = throttleAddress(peerAddress())): boolean {
  const limit = processWide('passkeyLimit', () => createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }))
  return limit.take(key).retryAfterMs !== undefined
}

/** The dependencies of commands about passkeys: the Runtime, and the site of this installation. */
export function passkeyDeps() {
  const { pool, clock, throttle, config } = backOfficeRuntime()
  return { pool, clock, throttle, relyingParty: relyingPartyOf(config.publicUrl) }
}

/** Whether passkeys can be used at the address of this installation. */
export function offersPasskeys(): boolean {
  return relyingPartyOf(backOfficeRuntime().config.publicUrl) !== undefined
}

/** Begins a sign-in with a passkey. */
export async function beginPasskeySignIn(): Promise<Result<PasskeyRequest, 'not_offered' | 'throttled'>> {
  return isThrottled() ? err('throttled') : startPasskeySignIn(passkeyDeps())
}

export type ProofStartFailure = 'unauthenticated' | 'not_offered' | 'second_factor_missing' | 'throttled'

/** Begins a confirmation with a passkey, for the person and the session of this request. */
export async function beginPasskeyProof(): Promise<Result<PasskeyRequest, ProofStartFailure>> {
  const [person, session] = await Promise.all([currentPerson(), readSession()])
  if (!person || !session) return err('unauthenticated')
  if (isThrottled(person.personId)) return err('throttled')
  return startPasskeyProof(passkeyDeps(), session)
}

/** Signs in with the answer of a device: a whole session, because the device verified its user. For server actions only. */
export async function signInWithPasskey(input: unknown): Promise<Result<void, 'refused' | 'blocked' | 'throttled'>> {
  const assertion = assertionSchema.safeParse(input)
  if (!assertion.success) return err('refused')
  if (isThrottled()) return err('throttled')
  const verified = await verifyPasskeySignIn(passkeyDeps(), { assertion: assertion.data, peerAddress: peerAddress() })
  if (!verified.ok) return err(verified.error === 'person_blocked' ? 'blocked' : 'refused')
  const { personId, sessionEpoch, email } = verified.value
  await markDevice(email)
  await beginSession({ personId, epoch: sessionEpoch }, 'passkey')
  return ok(undefined)
}
