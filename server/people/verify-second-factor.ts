import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { forgiveTries, takeTry } from '#server/credentials/code-tries.ts'
import { digest } from '#server/credentials/secrets.ts'
import { THROTTLE_WINDOW_MS } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findTimeStep, recoveryCodeHash } from './one-time-code.ts'
import { recordPersonAct } from './record-person-act.ts'
import { acceptStep, readSecondFactor, useRecoveryCode } from './second-factor-store.ts'

/** Wrong codes before every further one has to wait: six digits are few, so here even a right one waits. */
const FAILURES_MAX = 5
const WAIT_MS = 30_000

export type SecondFactorFailure = { kind: 'wrong_code' } | { kind: 'not_enabled' } | { kind: 'throttled'; retryAfterMs: number }

/**
 * Checks a one-time code, or a recovery code where `allowsRecovery` (sign-in yes, approving no). Each time step and each
 * recovery code is accepted once. After five wrong codes only one attempt every 30 s is allowed, right or wrong: who gets here
 * knows the password, and a million guesses take little time.
 */
export async function verifySecondFactor(
  deps: { pool: Pool; clock: Clock },
  command: { personId: string; code: string; allowsRecovery: boolean },
): Promise<Result<{ usedRecoveryCode: boolean }, SecondFactorFailure>> {
  const { pool, clock } = deps
  const { personId, code } = command
  const now = clock.now()
  const key = digest(`second factor ${personId}`).toString('hex')
  const stored = await readSecondFactor(pool, personId)
  if (!stored?.secret || !stored.isEnabled) return err({ kind: 'not_enabled' })
  const tries = await takeTry(pool, key, now, { failuresMax: FAILURES_MAX, waitMs: WAIT_MS, windowMs: THROTTLE_WINDOW_MS })
  if (tries === undefined) return err({ kind: 'throttled', retryAfterMs: WAIT_MS })
  const step = findTimeStep(stored.secret, code, now)
  const isRight = step !== undefined && (await acceptStep(pool, personId, stored.secret, step))
  const usedRecoveryCode = !isRight && command.allowsRecovery && (await spendRecoveryCode(pool, personId, code))
  if (!isRight && !usedRecoveryCode) {
    if (Number.isInteger(Math.log2(tries))) await recordWrongCode(pool, personId, tries)
    return err({ kind: 'wrong_code' })
  }
  await forgiveTries(pool, key)
  return ok({ usedRecoveryCode })
}

/** Of consecutive wrong codes the 1st, 2nd, 4th, 8th … are recorded, so that guessing cannot fill the record. */
async function recordWrongCode(pool: Pool, personId: string, failures: number): Promise<void> {
  await withTransaction(pool, async (trx) => {
    const action = 'person.second_factor_failed'
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action, details: { failures }, isAccountChange: false })
    return ok(undefined)
  })
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
