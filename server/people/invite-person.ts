import { randomUUID } from 'node:crypto'
import { combinesRoles, ROLES, type Role } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { generateInvitationToken } from '#server/credentials/secrets.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { findInvitee } from './invitation-queries.ts'
import { insertInvitation } from './invitation-store.ts'
import { mayCombineRoles } from './person-queries.ts'

type InvitePerson = {
  applicationId: string
  email: string
  name: string
  roles: readonly Role[]
  proposedBy: string
  actor: PersonCommandActor
}

/**
 * Invites a person whom two administrators agreed on: `token` is for a link that is valid once, for 24 hours, and is not stored. It is the
 * same for a person who has an account, who accepts in their own session. Nobody becomes a member before `activateMembership`.
 * `combined_roles`: see `setMembership`.
 */
export async function invitePerson(
  trx: TrxClient,
  command: InvitePerson,
): Promise<Result<{ token: string }, 'not_permitted' | 'already_member' | 'combined_roles'>> {
  const { applicationId, email, name, proposedBy, actor } = command
  if (!mayAct(actor, applicationId, 'people:change') || proposedBy === actor.id) return err('not_permitted')
  const roles = ROLES.filter((role) => command.roles.includes(role))
  if ((await findInvitee(trx, applicationId, email)) === 'member') return err('already_member')
  if (combinesRoles(roles) && !(await mayCombineRoles(trx, applicationId))) return err('combined_roles')
  const { token, tokenHash } = generateInvitationToken()
  const invitation = { applicationId, invitationId: randomUUID(), email, name, roles, tokenHash, proposedBy, confirmedBy: actor.id }
  const expiresAt = await insertInvitation(trx, invitation)
  const details = { name, roles, proposedBy, expiresAt: expiresAt.toISOString() }
  await appendAudit(trx, { applicationId, actor, action: 'person.invited', subject: email, details })
  return ok({ token })
}
