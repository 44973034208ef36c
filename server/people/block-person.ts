import { err, ok, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'

/**
 * Blocks a person everywhere, or unblocks them. Their sessions end with their next request. Only the machine's
 * administrator may: a person can belong to several applications. An application's administrator ends the membership.
 */
export async function blockPerson(
  pool: Pool,
  command: { personId: string; isBlocked: boolean; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_person'>> {
  const { personId, isBlocked, actor } = command
  if (actor.kind !== 'system') return err('not_permitted')
  return withTransaction(pool, async (trx) => {
    if ((await updatePerson(trx, personId, { isBlocked, endsSessions: true })) === undefined) return err('unknown_person')
    await recordPersonAct(trx, { personId, actor, action: isBlocked ? 'person.blocked' : 'person.unblocked', isAccountChange: true })
    return ok(undefined)
  })
}
