import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { appendAudit, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findTimeStep, generateRecoveryCodes, recoveryCodeHash } from './one-time-code.ts'
import { acceptStep, enableSecondFactor, readSecondFactor, replaceRecoveryCodes } from './second-factor-store.ts'

/** Switches the second factor on, once the person's device has shown a right code. Gives the recovery codes this once. */
export async function confirmSecondFactor(
  deps: { pool: Pool; clock: Clock },
  command: { personId: string; code: string },
): Promise<Result<{ recoveryCodes: string[] }, 'not_started' | 'already_enabled' | 'wrong_code'>> {
  const { personId } = command
  const recoveryCodes = generateRecoveryCodes()
  return withTransaction<{ recoveryCodes: string[] }, 'not_started' | 'already_enabled' | 'wrong_code'>(deps.pool, async (trx) => {
    const stored = await readSecondFactor(trx, personId)
    if (!stored?.secret) return err('not_started')
    if (stored.isEnabled) return err('already_enabled')
    const step = findTimeStep(stored.secret, command.code, deps.clock.now())
    if (step === undefined || !(await acceptStep(trx, personId, stored.secret, step))) return err('wrong_code')
    if (!(await enableSecondFactor(trx, personId, stored.secret))) return err('already_enabled')
    await replaceRecoveryCodes(
      trx,
      personId,
      recoveryCodes.flatMap((code) => recoveryCodeHash(code) ?? []),
    )
    await appendAudit(trx, {
      applicationId: SERVICE_WIDE,
      actor: { kind: 'person', id: personId },
      action: 'person.second_factor_enabled',
      subject: personId,
    })
    return ok({ recoveryCodes })
  })
}
