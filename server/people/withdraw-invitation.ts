import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockInvitation, withdrawOpenInvitation } from './invitation-store.ts'

/** Makes the link of an invitation worthless, and the code if somebody has joined with it. One administrator is enough, because it takes something away. */
export async function withdrawInvitation(
  pool: Pool,
  command: { applicationId: string; invitationId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  const { applicationId, invitationId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  return withTransaction<void, 'not_found'>(pool, async (trx) => {
    const invitation = await lockInvitation(trx, applicationId, invitationId)
    if (!invitation) return err('not_found')
    await withdrawOpenInvitation(trx, applicationId, invitationId)
    await appendAudit(trx, { applicationId, actor, action: 'person.invitation_withdrawn', subject: invitation.email })
    return ok(undefined)
  })
}
