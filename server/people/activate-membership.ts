import type { FreshCodeRefusal } from '#lib/action-result.ts'
import { can, combinesRoles } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { isSpokenCode } from '#server/credentials/secrets.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkFreshCode, type FreshCode } from './fresh-code.ts'
import { countWrongCode, heldLinkOf, lockInvitation, markActivated, withdrawOpenInvitation } from './invitation-store.ts'
import { lockActiveMember, mayCombineRoles } from './person-queries.ts'
import { insertMembership } from './person-store.ts'

/** Wrong codes before the invitation ends. A code has 30 bits, far too many for five guesses. */
const WRONG_CODES_MAX = 5

type ActivateFailure =
  | FreshCodeRefusal
  | 'not_permitted'
  /** No such invitation, or nobody has joined with it. */
  | 'not_found'
  /** The two people agreed more than seven days ago. */
  | 'too_old'
  /** This person had the link, or an earlier one with which the same person joined, and could have joined with it. */
  | 'had_the_link'
  /** The proposer is still an administrator here, and only they enter the code. */
  | 'proposer_only'
  /** The person who confirmed the invitation is no longer an administrator. */
  | 'confirmation_ended'
  /** This is not what the page of the person who joined shows. */
  | 'wrong_spoken_code'
  /** The fifth wrong code: the invitation has ended. */
  | 'too_many_codes'
  | 'already_member'
  /** Maker, checker and administrator in one person, which the settings no longer allow. */
  | 'combined_roles'

/** `spokenCode`: what the person who joined read out. `code`: a current one-time code, where the application requires the second factor. */
type Activation = {
  applicationId: string
  invitationId: string
  spokenCode: string
  code?: string | undefined
  actor: PersonCommandActor
}

/**
 * Makes a person who joined a member, once the proposer has entered the code that this person told them. The proposer never had the link, so
 * the person who confirmed cannot take the new account, also with a stolen session of the proposer. If the proposer is no longer an
 * administrator, another one who had no link enters it.
 */
export async function activateMembership(
  deps: { pool: Pool; clock: Clock },
  command: Activation,
): Promise<Result<{ personId: string }, ActivateFailure>> {
  const { applicationId, actor, code } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  const checked = await checkFreshCode(deps, { applicationId, personId: actor.id, code })
  if (!checked.ok) return checked
  const done = await withTransaction<{ personId: string } | WrongCode, ActivateFailure>(deps.pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('not_found')
    return activate(trx, command, checked.value)
  })
  if (!done.ok) return done
  return 'failure' in done.value ? err(done.value.failure) : ok(done.value)
}

/** Not a refusal for the transaction, because its count has to be stored. */
type WrongCode = { failure: 'wrong_spoken_code' | 'too_many_codes' }

async function activate(
  trx: TrxClient,
  command: Activation,
  { withCode }: FreshCode,
): Promise<Result<{ personId: string } | WrongCode, ActivateFailure>> {
  const { applicationId, invitationId, actor } = command
  const invitation = await lockInvitation(trx, applicationId, invitationId)
  if (!invitation || invitation.acceptedBy === null || invitation.code === null) return err('not_found')
  const { acceptedBy: personId, code, email, roles, proposedBy, confirmedBy } = invitation
  if (invitation.linkHolders.includes(actor.id) || personId === actor.id) return err('had_the_link')
  // With the link of an earlier invitation, they could have made this account, and would tell the code to themselves.
  if (await heldLinkOf(trx, actor.id, personId)) return err('had_the_link')
  if (actor.id !== proposedBy && (await isAdministrator(trx, applicationId, proposedBy))) return err('proposer_only')
  if (!invitation.isRecent) return err('too_old')
  if (!(await isAdministrator(trx, applicationId, confirmedBy))) return err('confirmation_ended')
  // The settings may have changed since the two people agreed.
  if (combinesRoles(roles) && !(await mayCombineRoles(trx, applicationId))) return err('combined_roles')
  if (!isSpokenCode(code, command.spokenCode)) return ok(await refuseCode(trx, command, email))
  const outcome = await insertMembership(trx, applicationId, personId, roles)
  if (outcome === 'unknown_application') throw new Error('The application of an invitation is gone')
  if (outcome === 'already_member') return err(outcome)
  await markActivated(trx, applicationId, invitationId, actor.id)
  const details = { email, roles, proposedBy, confirmedBy, ...withCode }
  await appendAudit(trx, { applicationId, actor, action: 'person.activated', subject: personId, details })
  return ok({ personId })
}

/** Keeps the row of this administrator until the end of the transaction, so that a block at the same moment comes before or after. */
async function isAdministrator(trx: TrxClient, applicationId: string, personId: string): Promise<boolean> {
  const roles = await lockActiveMember(trx, applicationId, personId)
  return roles !== undefined && can(roles, 'people:change')
}

async function refuseCode(trx: TrxClient, { applicationId, invitationId, actor }: Activation, email: string): Promise<WrongCode> {
  const failures = await countWrongCode(trx, applicationId, invitationId)
  const isLast = failures >= WRONG_CODES_MAX
  if (isLast) await withdrawOpenInvitation(trx, applicationId, invitationId)
  await appendAudit(trx, { applicationId, actor, action: 'person.activation_failed', subject: email, details: { failures } })
  return { failure: isLast ? 'too_many_codes' : 'wrong_spoken_code' }
}
