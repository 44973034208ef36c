import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { hashPassword } from '#server/credentials/password.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findInvitation, type InvitationFailure } from './find-invitation.ts'
import { type InvitationOfToken, markAccepted } from './invitation-store.ts'
import { findPasswordProblem, type PasswordProblem } from './password-rule.ts'
import { insertMembership, insertPerson } from './person-store.ts'

type AcceptFailure = InvitationFailure | 'invalid_name' | PasswordProblem
/** `isNew`: the person was created with the password that they chose. Otherwise they sign in with the one they have. */
type Accepted = { personId: string; email: string; slug: string; requiresSecondFactor: boolean; isNew: boolean }

/**
 * Uses a link, once: a new person chooses name and password and becomes a member with the roles that two administrators agreed on. A
 * person who signs in with this e-mail address already becomes a member, and nothing else about them changes. Nobody is signed in here.
 */
export async function acceptInvitation(
  pool: Pool,
  command: { token: string; name: string; password: string },
): Promise<Result<Accepted, AcceptFailure>> {
  const { token, password } = command
  const name = command.name.trim()
  const found = await findInvitation(pool, token, { locks: false })
  if (!found.ok) return found
  if (found.value.isKnown) return withTransaction<Accepted, AcceptFailure>(pool, (trx) => accept(trx, token, { name, passwordHash: null }))
  if (name.length < 1 || name.length > 200 || name.includes('\0')) return err('invalid_name')
  const problem = await findPasswordProblem(password, { email: found.value.email, name })
  if (problem) return err(problem)
  // Outside the transaction, and only for a right token: hashing takes time on purpose.
  const passwordHash = await hashPassword(password)
  return withTransaction<Accepted, AcceptFailure>(pool, (trx) => accept(trx, token, { name, passwordHash }))
}

async function accept(
  trx: TrxClient,
  token: string,
  chosen: { name: string; passwordHash: string | null },
): Promise<Result<Accepted, AcceptFailure>> {
  const found = await findInvitation(trx, token, { locks: true })
  if (!found.ok) return found
  const invitation = found.value
  const { applicationId, invitationId, email, slug, requiresSecondFactor } = invitation
  // Without a password of their own a person cannot be created; the one who was there a moment ago is.
  if (chosen.passwordHash === null && !invitation.isKnown) return err('password_too_short')
  const person = { personId: randomUUID(), email, name: chosen.name, passwordHash: chosen.passwordHash ?? 'none' }
  const { personId, isNew } = await insertPerson(trx, person)
  const outcome = await insertMembership(trx, applicationId, personId, invitation.roles)
  if (outcome === 'unknown_application') throw new Error('The application of an invitation is gone')
  await markAccepted(trx, applicationId, invitationId, personId)
  await appendAudit(trx, {
    applicationId,
    actor: { kind: 'person', id: personId },
    action: 'person.joined',
    subject: personId,
    details: detailsOf(invitation, isNew ? chosen.name : null),
  })
  return ok({ personId, email, slug, requiresSecondFactor, isNew })
}

function detailsOf({ email, roles, proposedBy, confirmedBy }: InvitationOfToken, name: string | null) {
  return { email, roles, proposedBy, confirmedBy, isNew: name !== null, ...(name !== null && { name }) }
}
