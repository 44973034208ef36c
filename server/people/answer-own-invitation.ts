import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockOwnInvitation, withdrawOpenInvitation } from './invitation-store.ts'
import { type JoinOrigin, joinApplication } from './join-application.ts'

type Answer = { personId: string; invitationId: string; accepts: boolean; origin: JoinOrigin }

/**
 * A person with an account accepts or declines an invitation to another application, in their own session. Until then that application learns
 * nothing about them and can do nothing to them; accepting grants no rights before `activateMembership`.
 */
export async function answerOwnInvitation(pool: Pool, command: Answer): Promise<Result<void, 'not_found'>> {
  const { personId, invitationId, accepts, origin } = command
  return withTransaction<void, 'not_found'>(pool, async (trx) => {
    const invitation = await lockOwnInvitation(trx, personId, invitationId)
    if (!invitation) return err('not_found')
    if (accepts) {
      await joinApplication(trx, { invitation, personId, name: null, origin })
      return ok(undefined)
    }
    const { applicationId, email } = invitation
    await withdrawOpenInvitation(trx, applicationId, invitationId)
    // The address instead of the id: who declines stays a stranger.
    const entry = { applicationId, action: 'person.invitation_declined', subject: email } as const
    await appendAudit(trx, { ...entry, actor: { kind: 'system', id: null } })
    return ok(undefined)
  })
}
