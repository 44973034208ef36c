import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { err, type FreshCodeRefusal, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { type AuditActor, type CommandActor, mayAct, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { forgiveTries, takeTry } from '#server/credentials/code-tries.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Database, Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { deletePasskeys } from './passkeys/passkey-store.ts'
import { verifyOwnPassword } from './passwords.ts'
import { readActiveApplicationIds, updatePerson } from './person-store.ts'
import {
  acceptStep,
  clearSecondFactor,
  enableSecondFactor,
  findRequiringApplication,
  forgetGuessedCodes,
  noteGuessedCodes,
  readSecondFactor,
  replaceRecoveryCodes,
  requiresSecondFactor,
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

type ConfirmSecondFactor = { personId: string; password: string; code: string; peerAddress: string }
export type ConfirmFailure = 'wrong_password' | 'throttled' | 'unknown_person' | 'not_started' | 'already_enabled' | 'wrong_code'
type Confirmed = { recoveryCodes: string[]; sessionEpoch: number }

/**
 * Switches the second factor on, once the person has entered their password and a correct code of their device: a person
 * with only a session must not be able to lock its owner out. Returns the recovery codes only once. All sessions end, this
 * one too, and `sessionEpoch` is the epoch under which a new one may begin.
 */
export async function confirmSecondFactor(
  deps: { pool: Pool; clock: Clock; throttle: SignInThrottle },
  command: ConfirmSecondFactor,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const { personId } = command
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

/** Wrong codes of a place before every further one has to wait: six digits are few, so here even a right one waits. */
const FAILURES_MAX = 5
const WAIT_MS = 30_000
const COUNTED_ONLY = 2 ** 31 - 1
/** After each of this many wrong codes in a row the password is required again. */
const GUESSES_MAX = 20
/** Counts are kept this long after the last wrong code, so that slow guessing is counted as well. */
const WINDOW_MS = 24 * 60 * 60_000

/** A browser in which the person signed in with a code before, or the network of one that is not known. */
export type SignInPlace = { device: string } | { network: string }

/** Sign-ins and everything that a signed-in person confirms count their wrong codes separately: neither keeps the other from working. */
type CodePurpose = { purpose: 'sign_in'; place: SignInPlace } | { purpose: 'confirmation' }
type CodeCommand = { personId: string; code: string; allowsRecovery: boolean } & CodePurpose

/** `too_many`: this was the twentieth wrong code in a row, so the password must be entered again. */
type SecondFactorFailure = { kind: 'wrong_code' | 'too_many' } | { kind: 'not_enabled' } | { kind: 'throttled'; retryAfterMs: number }

/**
 * Checks a one-time code, or a recovery code where `allowsRecovery` (sign-in yes, approving no). Each time step and each
 * recovery code is accepted once. After five wrong codes only one attempt every 30 s is allowed, right or wrong: somebody who tries codes
 * knows the password or has a session, and a million guesses take little time. At sign-ins, each known device and each network has five of its own
 * (`takeSignInTry`), so that they do not keep the owner out. After twenty the person is told, and their sessions end if
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
  const keys = keysOf(command)
  const limit = { failuresMax: FAILURES_MAX, waitMs: WAIT_MS, windowMs: WINDOW_MS }
  const tries =
    command.purpose === 'sign_in' ? await takeSignInTry(pool, keys, command.place, now) : await takeTry(pool, keys.person, now, limit)
  if (tries === undefined) return err({ kind: 'throttled', retryAfterMs: WAIT_MS })
  const step = findTimeStep(stored.secret, code, now)
  const isRight = step !== undefined && (await acceptStep(pool, personId, stored.secret, step))
  const usedRecoveryCode = !isRight && command.allowsRecovery && (await spendRecoveryCode(pool, personId, code))
  if (!isRight && !usedRecoveryCode) {
    const isTooMany = tries % GUESSES_MAX === 0
    if (isTooMany || Number.isInteger(Math.log2(tries))) await recordWrongCode(pool, { personId, purpose, failures: tries, isTooMany })
    return err({ kind: isTooMany ? 'too_many' : 'wrong_code' })
  }
  await Promise.all([keys.person, keys.place].map((key) => forgiveTries(pool, key)))
  return ok({ usedRecoveryCode })
}

type Keys = { person: string; place: string }

function keysOf(command: CodeCommand): Keys {
  const person = `second factor ${command.purpose} ${command.personId}`
  const place = command.purpose === 'sign_in' ? JSON.stringify(command.place) : ''
  return { person: digest(person).toString('hex'), place: digest(`${person} ${place}`).toString('hex') }
}

/**
 * Takes a try at a sign-in, counted for the person whatever the place. Every place has five. After them a known device waits 30 s each time, for
 * itself; all other networks share one try per 30 s, so that many of them are not many times faster, and none of them uses up the five of another.
 * Returns how many tries of the person there have been since the last right one; undefined when it has to wait.
 */
async function takeSignInTry(pool: Pool, keys: Keys, place: SignInPlace, now: Date): Promise<number | undefined> {
  const isKnown = 'device' in place
  const own = { failuresMax: FAILURES_MAX, waitMs: isKnown ? WAIT_MS : WINDOW_MS, windowMs: WINDOW_MS }
  const hasOwn = (await takeTry(pool, keys.place, now, own)) !== undefined
  if (!hasOwn && isKnown) return undefined
  const all = { failuresMax: hasOwn ? COUNTED_ONLY : 0, waitMs: WAIT_MS, windowMs: WINDOW_MS }
  return takeTry(pool, keys.person, now, all)
}

/** Of consecutive wrong codes the 1st, 2nd, 4th, 8th … and each twentieth are recorded, so that guessing cannot fill the record. */
async function recordWrongCode(
  pool: Pool,
  { personId, purpose, failures, isTooMany }: { personId: string; purpose: CodePurpose['purpose']; failures: number; isTooMany: boolean },
): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const action = 'person.second_factor_failed'
    if (isTooMany) await noteGuessedCodes(trx, personId)
    // The codes came from a session: its holder does not have the device.
    if (isTooMany && purpose === 'confirmation') await updatePerson(trx, personId, { endsSessions: true })
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action, details: { failures }, isAccountChange: false })
    return ok(undefined)
  })
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

/** The details for the command's audit entry: that there was a code, if one was needed. */
export type FreshCode = { withCode: { withCode: true } | Record<string, never> }

/**
 * Verifies the one-time code of a person who confirms something, which uses it up: wherever one of the applications concerned requires the second factor, a session
 * is not enough to move money or to change who may. The command calls it itself, before its transaction, so that no caller can leave it out
 * and a wrong code counts even though nothing else happens. Recovery codes are not accepted.
 */
export async function checkFreshCode(
  deps: { pool: Pool; clock: Clock },
  { applicationIds, personId, code }: { applicationIds: readonly string[]; personId: string; code: string | undefined },
): Promise<Result<FreshCode, FreshCodeRefusal>> {
  if (!(await requiresSecondFactor(deps.pool, applicationIds))) return ok({ withCode: {} })
  if (!code) return err('code_required')
  const verified = await verifySecondFactor(deps, { personId, code, allowsRecovery: false, purpose: 'confirmation' })
  if (verified.ok) return ok({ withCode: { withCode: true } })
  const refusals = {
    wrong_code: 'wrong_code',
    throttled: 'code_throttled',
    too_many: 'code_throttled',
    not_enabled: 'second_factor_missing',
  } as const
  return err(refusals[verified.error.kind])
}

type DisableFailure = SecondFactorFailure | { kind: 'demanded'; applicationName: string } | { kind: 'unknown_person' }

/**
 * A person switches their second factor off, with a code from their device or a recovery code (the device may be what they
 * lost). Refused while one of their applications requires it. All their sessions end, this one included. Returns the epoch under
 * which a new one may begin.
 */
export async function disableOwnSecondFactor(
  deps: { pool: Pool; clock: Clock },
  command: { personId: string; code: string },
): Promise<Result<{ sessionEpoch: number }, DisableFailure>> {
  const { personId } = command
  const requiring = await findRequiringApplication(deps.pool, personId)
  if (requiring !== undefined) return err({ kind: 'demanded', applicationName: requiring })
  const checked = await verifySecondFactor(deps, { ...command, allowsRecovery: true, purpose: 'confirmation' })
  if (!checked.ok) return checked
  return withTransaction<{ sessionEpoch: number }, DisableFailure>(deps.pool, async (trx) => {
    const sessionEpoch = await clearSecondFactor(trx, personId)
    if (sessionEpoch === undefined) return err({ kind: 'unknown_person' })
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
