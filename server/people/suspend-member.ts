import { can } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { listActiveMembers } from './person-queries.ts'
import { hasSuspendedAdministrator, suspendMembership } from './person-store.ts'

type SuspendFailure =
  | 'not_permitted'
  | 'own_membership'
  | 'not_a_member'
  /** This administrator suspended another one less than 24 hours ago. */
  | 'one_administrator_a_day'

/**
 * Suspends a membership at once: with their next request the person has no access to this application, and their approvals no longer count. It
 * removes privileges and grants none, so one administrator is enough; two lift it (`setMembership`). Other applications of the person are not concerned.
 * Of administrators, one person suspends one in 24 hours: nobody removes all those who could object.
 */
export async function suspendMember(
  pool: Pool,
  command: { applicationId: string; personId: string; actor: PersonCommandActor },
): Promise<Result<void, SuspendFailure>> {
  const { applicationId, personId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  return withTransaction<void, SuspendFailure>(pool, async (trx) => {
    // One after the other: two at once may not leave one administrator, and somebody who was suspended a moment ago suspends nobody.
    if (!(await lockApplication(trx, applicationId))) return err('not_a_member')
    const members = await listActiveMembers(trx, applicationId)
    const administrators = members.filter(({ roles }) => can(roles, 'people:change')).map((member) => member.personId)
    if (!administrators.includes(actor.id)) return err('not_permitted')
    if (administrators.includes(personId) && (await hasSuspendedAdministrator(trx, applicationId, actor.id)))
      return err('one_administrator_a_day')
    if (!(await suspendMembership(trx, applicationId, personId, actor.id))) return err('not_a_member')
    await appendAudit(trx, { applicationId, actor, action: 'person.suspended', subject: personId })
    return ok(undefined)
  })
}
