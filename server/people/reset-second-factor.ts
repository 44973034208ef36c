import { err, ok, type Result } from '#lib/result.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from './record-person-act.ts'
import { clearSecondFactor } from './second-factor-store.ts'

/**
 * Switches a person's second factor off, removes the recovery codes and ends all sessions. The machine's administrator may,
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
    await recordPersonAct(trx, { personId, actor, action: 'person.second_factor_reset', isAccountChange: true })
    return ok(undefined)
  })
}
