import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from './record-person-act.ts'
import { clearSecondFactor, findRequiringApplication } from './second-factor-store.ts'
import { type SecondFactorFailure, verifySecondFactor } from './verify-second-factor.ts'

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
