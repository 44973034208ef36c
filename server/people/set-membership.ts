import { combinesRoles, ROLES, type Role } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { mayCombineRoles, readMember } from './person-queries.ts'
import { updateMembership } from './person-store.ts'

type SetMembership = { applicationId: string; personId: string; roles?: readonly Role[]; isActive?: boolean; actor: CommandActor }

type MembershipFailure = 'not_permitted' | 'own_membership' | 'invalid_roles' | 'not_a_member' | 'combined_roles'

/**
 * Changes what a person may do in an application, or whether they may do anything there. In force with their next request.
 * Nobody changes their own: an administrator cannot make themselves a checker of what they prepared.
 * `combined_roles`: the person would be maker, checker and administrator, which the application's settings do not allow.
 */
export async function setMembership(database: Database, command: SetMembership): Promise<Result<void, MembershipFailure>> {
  const { applicationId, personId, isActive, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (actor.id === personId) return err('own_membership')
  const roles = command.roles && ROLES.filter((role) => command.roles?.includes(role))
  if (roles && (roles.length === 0 || roles.length !== new Set(command.roles).size)) return err('invalid_roles')
  return withTransaction<void, MembershipFailure>(database, async (trx) => {
    const before = await readMember(trx, applicationId, personId)
    if (before && (await combinesTooMuch(trx, applicationId, before, { roles, isActive }))) return err('combined_roles')
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

type Standing = { roles: readonly Role[]; isActive: boolean }

/** Whether a change would give one person all three roles against the settings. Who has them already may keep them. */
export async function combinesTooMuch(
  queryable: Queryable,
  applicationId: string,
  before: Standing,
  change: { roles?: readonly Role[] | undefined; isActive?: boolean | undefined },
): Promise<boolean> {
  const after = { roles: change.roles ?? before.roles, isActive: change.isActive ?? before.isActive }
  if (!combines(after) || combines(before)) return false
  return !(await mayCombineRoles(queryable, applicationId))
}

function combines({ roles, isActive }: Standing): boolean {
  return isActive && combinesRoles(roles)
}
