import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { type AuditActor, type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Database, Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { deletePasskeys, hasPasskey } from '../passkeys/passkey-store.ts'
import { readActiveApplicationIds } from '../person-store.ts'
import { type FactorPurpose, forgiveFactorTries, noteWrongFactor, takeFactorTry, WAIT_MS } from './factor-tries.ts'
import { verifyOwnPassword } from './passwords.ts'
import {
  acceptStep,
  clearSecondFactor,
  enableSecondFactor,
  findRequiringApplication,
  forgetGuessedCodes,
  needsPasskeySession,
  readSecondFactor,
  replaceRecoveryCodes,
  startSecret,
  useRecoveryCode,
} from './second-factor-store.ts'
import { recordPersonAct } from './sessions.ts'

/**
 * Begins a person's enrolment: a new secret and the `otpauth:` address for the QR code. It counts only once
 * `confirmSecondFactor` has seen a code; beginning again replaces an unconfirmed one.
 */
export async function startSecondFactor(
  pool: Pool,
  command: { personId: string },
): Promise<Result<{ secret: string; url: string }, 'unknown_person' | 'already_enabled'>> {
  const stored = await readSecondFactor(pool, command.personId)
  if (!stored) return err('unknown_person')
  const secret = generateTotpSecret()
  if (!(await startSecret(pool, command.personId, secret))) return err('already_enabled')
  return ok({ secret, url: totpUrl(secret, stored.email) })
}

type ConfirmSecondFactor = { personId: string; password: string; code: string; peerAddress: string; usedPasskey?: boolean }
export type ConfirmFailure =
  | 'passkey_needed'
  | 'wrong_password'
  | 'throttled'
  | 'unknown_person'
  | 'not_started'
  | 'already_enabled'
  | 'wrong_code'
type Confirmed = { recoveryCodes: string[]; sessionEpoch: number }

/**
 * Switches the second factor on, once the person has entered their password and a correct code of their device: a person
 * with only a session must not be able to lock its owner out. Returns the recovery codes only once. All sessions end, this
 * one too, and `sessionEpoch` is the epoch under which a new one may begin. `passkey_needed`: passkeys are the second factor that one of their
 * applications requires, and the session was started without one (`usedPasskey`), so that a password alone does not replace them.
 */
export async function confirmSecondFactor(
  deps: { pool: Pool; clock: Clock; throttle: SignInThrottle },
  command: ConfirmSecondFactor,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const { personId, usedPasskey = false } = command
  if (!usedPasskey && (await needsPasskeySession(deps.pool, personId))) return err('passkey_needed')
  const known = await verifyOwnPassword(deps, command)
  if (!known.ok) return err(known.error.kind === 'wrong_credentials' ? 'wrong_password' : known.error.kind)
  const recoveryCodes = generateRecoveryCodes()
  return withTransaction<Confirmed, ConfirmFailure>(deps.pool, async (trx) => {
    const stored = await readSecondFactor(trx, personId)
    if (!stored?.secret) return err('not_started')
    if (stored.isEnabled) return err('already_enabled')
    const step = findTimeStep(stored.secret, command.code, deps.clock.now())
    if (step === undefined || !(await acceptStep(trx, personId, stored.secret, step))) return err('wrong_code')
    const sessionEpoch = await enableSecondFactor(trx, personId, stored.secret)
    if (sessionEpoch === undefined) return err('already_enabled')
    await replaceRecoveryCodes(
      trx,
      personId,
      recoveryCodes.flatMap((code) => recoveryCodeHash(code) ?? []),
    )
    await recordPersonAct(trx, { personId, action: 'person.second_factor_enabled', isAccountChange: true })
    return ok({ recoveryCodes, sessionEpoch })
  })
}

type CodeCommand = { personId: string; code: string; allowsRecovery: boolean } & FactorPurpose

/** `too_many`: this was the twentieth wrong code in a row, so the password must be entered again. */
type SecondFactorFailure = { kind: 'wrong_code' | 'too_many' } | { kind: 'not_enabled' } | { kind: 'throttled'; retryAfterMs: number }

/**
 * Checks a one-time code, or a recovery code where `allowsRecovery` (sign-in yes, approving no). Each time step and each
 * recovery code is accepted once. After five wrong codes only one attempt every 30 s is allowed, right or wrong: somebody who tries codes
 * knows the password or has a session, and a million guesses take little time. At sign-ins, each known device and each network has five of its own
 * (`takeFactorTry`), so that they do not keep the owner out. After twenty the person is told, and their sessions end if
 * the codes came from one of them; at a sign-in the caller ends the step that follows the password.
 */
export async function verifySecondFactor(
  deps: { pool: Pool; clock: Clock },
  command: CodeCommand,
): Promise<Result<{ usedRecoveryCode: boolean }, SecondFactorFailure>> {
  const { pool, clock } = deps
  const { personId, code, purpose } = command
  const now = clock.now()
  const stored = await readSecondFactor(pool, personId)
  if (!stored?.secret || !stored.isEnabled) return err({ kind: 'not_enabled' })
  const tries = await takeFactorTry(pool, command, now)
  if (tries === undefined) return err({ kind: 'throttled', retryAfterMs: WAIT_MS })
  const step = findTimeStep(stored.secret, code, now)
  const isRight = step !== undefined && (await acceptStep(pool, personId, stored.secret, step))
  const usedRecoveryCode = !isRight && command.allowsRecovery && (await spendRecoveryCode(pool, personId, code))
  if (!isRight && !usedRecoveryCode) {
    const { isTooMany } = await noteWrongFactor(pool, { personId, purpose, tries })
    return err({ kind: isTooMany ? 'too_many' : 'wrong_code' })
  }
  await forgiveFactorTries(pool, command)
  return ok({ usedRecoveryCode })
}

/** The person has read that somebody guessed their codes. */
export async function dismissGuessedCodes(pool: Pool, { personId }: { personId: string }): Promise<void> {
  await forgetGuessedCodes(pool, personId)
}

async function spendRecoveryCode(pool: Pool, personId: string, code: string): Promise<boolean> {
  const hash = recoveryCodeHash(code)
  if (!hash) return false
  const spent = await withTransaction<void, 'wrong_code'>(pool, async (trx) => {
    if (!(await useRecoveryCode(trx, personId, hash))) return err('wrong_code')
    await recordPersonAct(trx, { personId, action: 'person.recovery_code_used', isAccountChange: true })
    return ok(undefined)
  })
  return spent.ok
}

type DisableFailure = SecondFactorFailure | { kind: 'demanded'; applicationName: string } | { kind: 'unknown_person' }

/**
 * A person switches their second factor off, with a code from their device or a recovery code (the device may be what they
 * lost). Refused while one of their applications requires it and they have no passkey. All their sessions end, this one included. Returns the epoch under
 * which a new one may begin.
 */
export async function disableOwnSecondFactor(
  deps: { pool: Pool; clock: Clock },
  command: { personId: string; code: string },
): Promise<Result<{ sessionEpoch: number }, DisableFailure>> {
  const { personId } = command
  const isDemanded = async (queryable: Queryable) => {
    const applicationName = (await hasPasskey(queryable, personId)) ? undefined : await findRequiringApplication(queryable, personId)
    return applicationName === undefined ? undefined : err({ kind: 'demanded' as const, applicationName })
  }
  const demanded = await isDemanded(deps.pool)
  if (demanded) return demanded
  const checked = await verifySecondFactor(deps, { ...command, allowsRecovery: true, purpose: 'confirmation' })
  if (!checked.ok) return checked
  return withTransaction<{ sessionEpoch: number }, DisableFailure>(deps.pool, async (trx) => {
    const sessionEpoch = await clearSecondFactor(trx, personId)
    if (sessionEpoch === undefined) return err({ kind: 'unknown_person' })
    // Under the lock of the person: their last passkey may have been removed since.
    const demandedNow = await isDemanded(trx)
    if (demandedNow) return demandedNow
    await recordPersonAct(trx, { personId, action: 'person.second_factor_disabled', isAccountChange: true })
    return ok({ sessionEpoch })
  })
}

/**
 * Returns ten new recovery codes, only once, for a new code from the person's device. A recovery code is not accepted,
 * because the finder of an old list must not get a new one. The old codes become invalid.
 */
export async function renewRecoveryCodes(
  deps: { pool: Pool; clock: Clock },
  command: { personId: string; code: string },
): Promise<Result<{ recoveryCodes: string[] }, SecondFactorFailure>> {
  const { personId } = command
  const checked = await verifySecondFactor(deps, { ...command, allowsRecovery: false, purpose: 'confirmation' })
  if (!checked.ok) return checked
  const recoveryCodes = generateRecoveryCodes()
  const hashes = recoveryCodes.flatMap((code) => recoveryCodeHash(code) ?? [])
  return withTransaction<{ recoveryCodes: string[] }, SecondFactorFailure>(deps.pool, async (trx) => {
    const stored = await readSecondFactor(trx, personId)
    if (!stored?.isEnabled) return err({ kind: 'not_enabled' })
    await replaceRecoveryCodes(trx, personId, hashes)
    await recordPersonAct(trx, { personId, action: 'person.recovery_codes_renewed', isAccountChange: true })
    return ok({ recoveryCodes })
  })
}

type ResetFailure = 'not_permitted' | 'own_membership' | 'not_a_member' | 'works_elsewhere'

/**
 * Switches off the second factor of a member who lost it, removes recovery codes and passkeys and ends all sessions. `works_elsewhere`: the person
 * is an active member of another application too, whose administrators have not agreed; the machine's administrator can reset it.
 */
export async function resetMemberSecondFactor(
  database: Database,
  command: { applicationId: string; personId: string; actor: CommandActor },
): Promise<Result<void, ResetFailure>> {
  const { applicationId, personId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  return withTransaction<void, ResetFailure>(database, async (trx) => {
    const applicationIds = await readActiveApplicationIds(trx, personId)
    if (!applicationIds.includes(applicationId)) return err('not_a_member')
    if (applicationIds.length > 1) return err('works_elsewhere')
    await clearSecondFactor(trx, personId)
    await deletePasskeys(trx, personId)
    await recordPersonAct(trx, { personId, actor, action: 'person.second_factor_reset', isAccountChange: true })
    return ok(undefined)
  })
}

/**
 * Switches a person's second factor off, removes recovery codes and passkeys and ends all sessions. The machine's administrator may,
 * and people for themselves (the caller requires a new code first).
 */
export async function resetSecondFactor(
  pool: Pool,
  command: { personId: string; actor: AuditActor },
): Promise<Result<void, 'not_permitted' | 'unknown_person'>> {
  const { personId, actor } = command
  if (actor.kind !== 'system' && actor.id !== personId) return err('not_permitted')
  return withTransaction(pool, async (trx) => {
    if ((await clearSecondFactor(trx, personId)) === undefined) return err('unknown_person')
    await deletePasskeys(trx, personId)
    await recordPersonAct(trx, { personId, actor, action: 'person.second_factor_reset', isAccountChange: true })
    return ok(undefined)
  })
}

/** RFC 6238 with what every authenticator app understands: SHA-1, six digits, thirty seconds. */
const PERIOD_SECONDS = 30
const ISSUER = 'Countersign'
const RECOVERY_CODES = 10

/** A new secret of 160 bits, in base 32. */
function generateTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The address that the QR code shows. */
function totpUrl(secret: string, email: string): string {
  return totpOf(secret, email).toString()
}

/** The time step that a six-digit code belongs to, one step of clock difference either way; undefined when it is wrong. */
function findTimeStep(secret: string, code: string, now: Date): bigint | undefined {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const delta = totpOf(secret, '').validate({ token: digits, timestamp: now.getTime(), window: 1 })
  return delta === null ? undefined : BigInt(Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta)
}

/** Ten codes of 80 random bits for the day the phone is gone. */
function generateRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32.replace(/(.{4})(?=.)/g, '$1-'),
  )
}

/** The digest of a recovery code, however it was typed; undefined when the text cannot be one. */
function recoveryCodeHash(code: string): Buffer | undefined {
  const plain = code.replace(/[\s-]/g, '').toUpperCase()
  return /^[A-Z2-7]{16}$/.test(plain) ? digest(plain) : undefined
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS })
}
