import { err, ok, type Result } from '#lib/result.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readMember } from './person-queries.ts'
import { updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'

type UnblockFailure = 'not_permitted' | 'own_membership' | 'not_a_member' | 'not_blocked' | 'blocked_elsewhere'

/**
 * Unblocks a member whom an administrator of this application blocked. `blocked_elsewhere`: the machine's administrator did, and only they
 * can undo it.
 */
export async function unblockMember(
  database: Database,
  command: { applicationId: string; personId: string; actor: CommandActor },
): Promise<Result<void, UnblockFailure>> {
  const { applicationId, personId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  return withTransaction<void, UnblockFailure>(database, async (trx) => {
    const member = await readMember(trx, applicationId, personId)
    if (!member) return err('not_a_member')
    if (!member.isBlocked) return err('not_blocked')
    if (!member.isBlockedHere) return err('blocked_elsewhere')
    await updatePerson(trx, personId, { isBlocked: false, endsSessions: true })
    await recordPersonAct(trx, { personId, actor, action: 'person.unblocked', isAccountChange: true })
    return ok(undefined)
  })
}
