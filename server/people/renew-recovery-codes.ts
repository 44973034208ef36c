import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { generateRecoveryCodes, recoveryCodeHash } from './one-time-code.ts'
import { recordPersonAct } from './record-person-act.ts'
import { readSecondFactor, replaceRecoveryCodes } from './second-factor-store.ts'
import { type SecondFactorFailure, verifySecondFactor } from './verify-second-factor.ts'

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
