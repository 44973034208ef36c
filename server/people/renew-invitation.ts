import type { FreshCodeRefusal } from '#lib/action-result.ts'
import { can } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { generateInvitationToken } from '#server/credentials/secrets.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkFreshCode } from './fresh-code.ts'
import { type LockedInvitation, lockInvitation, replaceToken } from './invitation-store.ts'
import { listActiveMembers } from './person-queries.ts'

type RenewFailure =
  | FreshCodeRefusal
  | 'not_permitted'
  | 'not_found'
  /** The proposer must not be able to use the link of the person that they chose. */
  | 'own_proposal'
  /** The two people agreed more than seven days ago. */
  | 'too_old'
  /** The proposer has left, and afterwards every administrator would have had a link: nobody could enter the code of the person who joins. */
  | 'needed_for_code'

/** `code`: a current one-time code, where the application requires the second factor. */
type RenewInvitation = { applicationId: string; invitationId: string; code?: string | undefined; actor: PersonCommandActor }

/**
 * Makes a new link for an invitation that nobody has used, valid for another 24 hours; the earlier one stops working. The token is returned only
 * here. It counts as a confirmation: a person who has had a link cannot enter the code of the person who joins.
 */
export async function renewInvitation(
  deps: { pool: Pool; clock: Clock },
  command: RenewInvitation,
): Promise<Result<{ token: string }, RenewFailure>> {
  const { applicationId, invitationId, code, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  const checked = await checkFreshCode(deps, { applicationId, personId: actor.id, code })
  if (!checked.ok) return checked
  return withTransaction<{ token: string }, RenewFailure>(deps.pool, async (trx) => {
    const invitation = await lockInvitation(trx, applicationId, invitationId)
    if (!invitation || invitation.acceptedBy !== null) return err('not_found')
    if (invitation.proposedBy === actor.id) return err('own_proposal')
    if (!invitation.isRecent) return err('too_old')
    if (await isNeededForCode(trx, command, invitation)) return err('needed_for_code')
    const { token, tokenHash } = generateInvitationToken()
    const expiresAt = await replaceToken(trx, { applicationId, invitationId, tokenHash, renewedBy: actor.id })
    const details = { expiresAt: expiresAt.toISOString(), ...checked.value.withCode }
    await appendAudit(trx, { applicationId, actor, action: 'person.invitation_renewed', subject: invitation.email, details })
    return ok({ token })
  })
}

async function isNeededForCode(
  trx: TrxClient,
  { applicationId, actor }: RenewInvitation,
  { proposedBy, linkHolders }: LockedInvitation,
): Promise<boolean> {
  const administrators = (await listActiveMembers(trx, applicationId)).filter(({ roles }) => can(roles, 'people:change'))
  if (administrators.some(({ personId }) => personId === proposedBy)) return false
  return !administrators.some(({ personId }) => personId !== actor.id && !linkHolders.includes(personId))
}
