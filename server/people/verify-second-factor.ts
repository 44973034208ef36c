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

/** Wrong codes before every further one has to wait: six digits are few, so here even a right one waits. */
const FAILURES_MAX = 5
const WAIT_MS = 30_000
/** After each of this many wrong codes in a row the password is required again. */
const GUESSES_MAX = 20
/** Counts are kept this long after the last wrong code, so that slow guessing is counted as well. */
const WINDOW_MS = 24 * 60 * 60_000

/** Sign-ins and everything that a signed-in person confirms count their wrong codes separately: neither keeps the other from working. */
type CodePurpose = 'sign_in' | 'confirmation'

/** `too_many`: this was the twentieth wrong code in a row, so the password must be entered again. */
export type SecondFactorFailure =
  | { kind: 'wrong_code' | 'too_many' }
  | { kind: 'not_enabled' }
  | { kind: 'throttled'; retryAfterMs: number }

/**
 * Checks a one-time code, or a recovery code where `allowsRecovery` (sign-in yes, approving no). Each time step and each
 * recovery code is accepted once. After five wrong codes only one attempt every 30 s is allowed, right or wrong: somebody who tries codes
 * knows the password or has a session, and a million guesses take little time. After twenty the person is told, and their sessions end if
 * the codes came from one of them; at a sign-in the caller ends the step that follows the password.
 */
export async function verifySecondFactor(
  deps: { pool: Pool; clock: Clock },
  command: { personId: string; code: string; allowsRecovery: boolean; purpose: CodePurpose },
): Promise<Result<{ usedRecoveryCode: boolean }, SecondFactorFailure>> {
  const { pool, clock } = deps
  const { personId, code, purpose } = command
  const now = clock.now()
  const key = digest(`second factor ${purpose} ${personId}`).toString('hex')
  const stored = await readSecondFactor(pool, personId)
  if (!stored?.secret || !stored.isEnabled) return err({ kind: 'not_enabled' })
  const tries = await takeTry(pool, key, now, { failuresMax: FAILURES_MAX, waitMs: WAIT_MS, windowMs: WINDOW_MS })
  if (tries === undefined) return err({ kind: 'throttled', retryAfterMs: WAIT_MS })
  const step = findTimeStep(stored.secret, code, now)
  const isRight = step !== undefined && (await acceptStep(pool, personId, stored.secret, step))
  const usedRecoveryCode = !isRight && command.allowsRecovery && (await spendRecoveryCode(pool, personId, code))
  if (!isRight && !usedRecoveryCode) {
    const isTooMany = tries % GUESSES_MAX === 0
    if (isTooMany || Number.isInteger(Math.log2(tries))) await recordWrongCode(pool, { personId, purpose, failures: tries, isTooMany })
    return err({ kind: isTooMany ? 'too_many' : 'wrong_code' })
  }
  await forgiveTries(pool, key)
  return ok({ usedRecoveryCode })
}

/** Of consecutive wrong codes the 1st, 2nd, 4th, 8th … and each twentieth are recorded, so that guessing cannot fill the record. */
async function recordWrongCode(
  pool: Pool,
  { personId, purpose, failures, isTooMany }: { personId: string; purpose: CodePurpose; failures: number; isTooMany: boolean },
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
