import { err, ok, type Result } from '#lib/result.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'

/** Signs a person out everywhere: every session that exists now ends. Allowed for the person and the system. Returns the new epoch. */
export async function bumpSessionEpoch(
  pool: Pool,
  command: { personId: string; actor: AuditActor },
): Promise<Result<{ sessionEpoch: number }, 'not_permitted' | 'unknown_person'>> {
  const { personId, actor } = command
  if (actor.kind !== 'system' && actor.id !== personId) return err('not_permitted')
  return withTransaction(pool, async (trx) => {
    const sessionEpoch = await updatePerson(trx, personId, { endsSessions: true })
    if (sessionEpoch === undefined) return err('unknown_person')
    await recordPersonAct(trx, { personId, actor, action: 'person.signed_out_everywhere', isAccountChange: true })
    return ok({ sessionEpoch })
  })
}
