import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findTimeStep, generateRecoveryCodes, recoveryCodeHash } from './one-time-code.ts'
import { recordPersonAct } from './record-person-act.ts'
import { acceptStep, enableSecondFactor, readSecondFactor, replaceRecoveryCodes } from './second-factor-store.ts'
import { verifyOwnPassword } from './verify-own-password.ts'

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
