import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { suspendMembership } from './person-store.ts'

type SuspendFailure = 'not_permitted' | 'own_membership' | 'not_a_member'

/**
 * Suspends a membership at once: with their next request the person has no access to this application, and their approvals no longer count. It
 * removes privileges and grants none, so one administrator is enough; two lift it (`setMembership`). Other applications of the person are not concerned.
 */
export async function suspendMember(
  pool: Pool,
  command: { applicationId: string; personId: string; actor: PersonCommandActor },
): Promise<Result<void, SuspendFailure>> {
  const { applicationId, personId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  return withTransaction<void, SuspendFailure>(pool, async (trx) => {
    if (!(await suspendMembership(trx, applicationId, personId, actor.id))) return err('not_a_member')
    await appendAudit(trx, { applicationId, actor, action: 'person.suspended', subject: personId })
    return ok(undefined)
  })
}
