import { err, ok, type Result } from '#lib/result.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readActiveApplicationIds } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'
import { clearSecondFactor } from './second-factor-store.ts'

type ResetFailure = 'not_permitted' | 'own_membership' | 'not_a_member' | 'works_elsewhere'

/**
 * Switches off the second factor of a member who lost it, removes the recovery codes and ends all sessions. `works_elsewhere`: the person
 * is an active member of another application too, whose administrators have not agreed; the machine's administrator can reset it.
 */
export async function resetMemberSecondFactor(
  database: Database,
  command: { applicationId: string; personId: string; actor: CommandActor },
): Promise<Result<void, ResetFailure>> {
  const { applicationId, personId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  return withTransaction<void, ResetFailure>(database, async (trx) => {
    const applicationIds = await readActiveApplicationIds(trx, personId)
    if (!applicationIds.includes(applicationId)) return err('not_a_member')
    if (applicationIds.length > 1) return err('works_elsewhere')
    await clearSecondFactor(trx, personId)
    await recordPersonAct(trx, { personId, actor, action: 'person.second_factor_reset', isAccountChange: true })
    return ok(undefined)
  })
}
