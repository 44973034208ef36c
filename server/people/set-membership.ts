import { ROLES, type Role } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readMember } from './person-queries.ts'
import { updateMembership } from './person-store.ts'

type SetMembership = { applicationId: string; personId: string; roles?: readonly Role[]; isActive?: boolean; actor: CommandActor }

/**
 * Changes what a person may do in an application, or whether they may do anything there. In force with their next request.
 * Nobody changes their own: an administrator cannot make themselves a checker of what they prepared.
 */
export async function setMembership(
  database: Database,
  command: SetMembership,
): Promise<Result<void, 'not_permitted' | 'own_membership' | 'invalid_roles' | 'not_a_member'>> {
  const { applicationId, personId, isActive, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  const roles = command.roles && ROLES.filter((role) => command.roles?.includes(role))
  if (roles && (roles.length === 0 || roles.length !== new Set(command.roles).size)) return err('invalid_roles')
  return withTransaction(database, async (trx) => {
    const before = await readMember(trx, applicationId, personId)
    if (!before || !(await updateMembership(trx, applicationId, personId, { roles, isActive }))) return err('not_a_member')
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'person.membership_changed',
      subject: personId,
      details: {
        before: { roles: before.roles, isActive: before.isActive },
        after: { roles: roles ?? before.roles, isActive: isActive ?? before.isActive },
      },
    })
    return ok(undefined)
  })
}
