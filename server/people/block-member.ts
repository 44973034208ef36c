import { err, ok, type Result } from '#lib/result.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readActiveApplicationIds, updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'

type BlockFailure = 'not_permitted' | 'own_membership' | 'not_a_member' | 'works_elsewhere'

/**
 * Blocks a member at once: their sessions end with their next request, and they cannot sign in. It removes privileges and grants none, so
 * one administrator is enough; unblocking needs two. `works_elsewhere`: the person is an active member of another application too, whose
 * administrators have not agreed. There, end the membership, or block with `npm run admin`.
 */
export async function blockMember(
  pool: Pool,
  command: { applicationId: string; personId: string; actor: CommandActor },
): Promise<Result<void, BlockFailure>> {
  const { applicationId, personId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  return withTransaction<void, BlockFailure>(pool, async (trx) => {
    const applicationIds = await readActiveApplicationIds(trx, personId)
    if (!applicationIds.includes(applicationId)) return err('not_a_member')
    if (applicationIds.length > 1) return err('works_elsewhere')
    await updatePerson(trx, personId, { isBlocked: true, blockedIn: applicationId, endsSessions: true })
    await recordPersonAct(trx, { personId, actor, action: 'person.blocked', isAccountChange: true })
    return ok(undefined)
  })
}
