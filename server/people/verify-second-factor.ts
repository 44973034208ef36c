import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { forgiveTries, takeTry } from '#server/credentials/code-tries.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findTimeStep, recoveryCodeHash } from './one-time-code.ts'
import { updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'
import { acceptStep, forgetGuessedCodes, noteGuessedCodes, readSecondFactor, useRecoveryCode } from './second-factor-store.ts'

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
export type SecondFactorFailure =
  | { kind: 'wrong_code' | 'too_many' }
  | { kind: 'not_enabled' }
  | { kind: 'throttled'; retryAfterMs: number }

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
