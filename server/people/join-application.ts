import type { Role } from '#lib/permissions.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { generateSpokenCode } from '#server/credentials/secrets.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { markAccepted } from './invitation-store.ts'
import { storedUserAgent } from './note-session-use.ts'

/** The address and the browser with which a person joined. */
export type JoinOrigin = { address: string; userAgent: string }

type Joining = {
  invitation: {
    applicationId: string
    invitationId: string
    email: string
    roles: readonly Role[]
    proposedBy: string
    confirmedBy: string
  }
  personId: string
  /** The name that a new person chose; null for a person who had an account. */
  name: string | null
  origin: JoinOrigin
}

/**
 * Records that a person joined with an invitation, and makes the code that they tell the proposer. They have no rights yet: the one who
 * confirmed the invitation had the link and could have used it. The entry says so if the address and the browser are theirs.
 */
export async function joinApplication(trx: TrxClient, { invitation, personId, name, origin }: Joining): Promise<void> {
  const { applicationId, invitationId, email, roles, proposedBy, confirmedBy } = invitation
  const [address, userAgent] = [origin.address.slice(0, 64), storedUserAgent(origin.userAgent)]
  const joined = { applicationId, invitationId, personId, code: generateSpokenCode(), address, userAgent }
  const joinedLike = await markAccepted(trx, joined)
  const details = { email, roles: [...roles], proposedBy, confirmedBy, isNew: name !== null }
  await appendAudit(trx, {
    applicationId,
    actor: { kind: 'person', id: personId },
    action: 'person.joined',
    subject: personId,
    details: { ...details, ...(name !== null && { name }), ...(joinedLike !== null && { joinedLike }) },
  })
}
