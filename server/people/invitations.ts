import { randomUUID } from 'node:crypto'
import { can, combinesRoles, ROLES, type Role } from '#lib/people/permissions.ts'
import { err, type FreshProofRefusal, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { digest, generateLinkToken, generateSpokenCode } from '#server/credentials/secrets.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import {
  findInvitee,
  type InvitationOfToken,
  insertInvitation,
  type LockedInvitation,
  lockInvitation,
  lockOwnInvitation,
  markAccepted,
  readInvitationOfToken,
  replaceToken,
  withdrawOpenInvitation,
} from './invitation-store.ts'
import { insertLinkMail } from './link-mail-store.ts'
import { insertPerson, listActiveMembers, mayCombineRoles } from './person-store.ts'
import { checkFreshProof, type FreshProof } from './sign-in/fresh-proof.ts'
import { findPasswordProblem, type PasswordProblem } from './sign-in/passwords.ts'
import { storedUserAgent } from './sign-in/sessions.ts'

type InvitePerson = {
  applicationId: string
  email: string
  name: string
  roles: readonly Role[]
  proposedBy: string
  actor: PersonCommandActor
}

/**
 * Invites a person whom two administrators agreed on: `token` is for a link that is valid once, for 24 hours. It is stored, encrypted, only until it is mailed. It is the
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
  const { token, tokenHash } = generateLinkToken()
  const invitation = { applicationId, invitationId: randomUUID(), email, name, roles, tokenHash, proposedBy, confirmedBy: actor.id }
  const expiresAt = await insertInvitation(trx, invitation)
  await insertLinkMail(trx, { kind: 'invitation', applicationId, subjectId: invitation.invitationId, token })
  const details = { name, roles, proposedBy, expiresAt: expiresAt.toISOString() }
  await appendAudit(trx, { applicationId, actor, action: 'person.invited', subject: email, details })
  return ok({ token })
}

type RenewFailure =
  | FreshProofRefusal
  | 'not_permitted'
  | 'not_found'
  /** The proposer must not be able to use the link of the person that they chose. */
  | 'own_proposal'
  /** The two people agreed more than seven days ago. */
  | 'too_old'
  /** The proposer has left, and afterwards every administrator would have had a link: nobody could enter the code of the person who joins. */
  | 'needed_for_code'

/** `proof`: a fresh code or passkey, where the application requires the second factor. */
type RenewInvitation = { applicationId: string; invitationId: string; proof?: FreshProof | undefined; actor: PersonCommandActor }

/**
 * Makes a new link for an invitation that nobody has used, valid for another 24 hours; the earlier one stops working. The token is returned only
 * here. It counts as a confirmation: a person who has had a link cannot enter the code of the person who joins.
 */
export async function renewInvitation(
  deps: { pool: Pool; clock: Clock },
  command: RenewInvitation,
): Promise<Result<{ token: string }, RenewFailure>> {
  const { applicationId, invitationId, proof, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  const checked = await checkFreshProof(deps, { applicationIds: [applicationId], personId: actor.id, proof })
  if (!checked.ok) return checked
  return runCommand<{ token: string }, RenewFailure>(deps.pool, command, 'people:change', async (trx) => {
    const invitation = await lockInvitation(trx, applicationId, invitationId)
    if (!invitation || invitation.acceptedBy !== null) return err('not_found')
    if (invitation.proposedBy === actor.id) return err('own_proposal')
    if (!invitation.isRecent) return err('too_old')
    if (await isNeededForCode(trx, command, invitation)) return err('needed_for_code')
    const { token, tokenHash } = generateLinkToken()
    const expiresAt = await replaceToken(trx, { applicationId, invitationId, tokenHash, renewedBy: actor.id })
    await insertLinkMail(trx, { kind: 'invitation', applicationId, subjectId: invitationId, token })
    const details = { expiresAt: expiresAt.toISOString(), ...checked.value }
    return done({ action: 'person.invitation_renewed', subject: invitation.email, details }, { token })
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

/** Makes the link of an invitation worthless, and the code if somebody has joined with it. One administrator is enough, because it takes something away. */
export async function withdrawInvitation(
  pool: Pool,
  command: { applicationId: string; invitationId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  const { applicationId, invitationId } = command
  return runCommand(pool, command, 'people:change', async (trx) => {
    const invitation = await lockInvitation(trx, applicationId, invitationId)
    if (!invitation) return err('not_found')
    await withdrawOpenInvitation(trx, applicationId, invitationId)
    return done({ action: 'person.invitation_withdrawn', subject: invitation.email })
  })
}

/** Why a link does not work. Who has the right token may know; everybody else gets `unknown`. */
type InvitationFailure = 'unknown' | 'expired' | 'used'

/** Returns the invitation of a link that can be used now. `locks`: no other request can use it until the transaction ends. */
export async function findInvitation(
  queryable: Queryable,
  token: string,
  { locks }: { locks: boolean },
): Promise<Result<InvitationOfToken, InvitationFailure>> {
  const invitation = await readInvitationOfToken(queryable, digest(token), locks)
  if (!invitation) return err('unknown')
  if (invitation.isEnded) return err('used')
  return invitation.isExpired ? err('expired') : ok(invitation)
}

type AcceptFailure =
  | InvitationFailure
  /** Somebody signs in with this e-mail address: they accept in their own session (`acceptOwnInvitation`). */
  | 'has_account'
  | 'invalid_name'
  | PasswordProblem
type Accepted = { personId: string; email: string; requiresSecondFactor: boolean }
type Acceptance = { token: string; name: string; password: string; source: JoinSource }

/**
 * Uses a link, once: a new person chooses name and password. They can sign in, and have no rights before `activateMembership`. Nobody is signed
 * in here.
 */
export async function acceptInvitation(pool: Pool, command: Acceptance): Promise<Result<Accepted, AcceptFailure>> {
  const { token, password } = command
  const name = command.name.trim()
  const found = await findInvitation(pool, token, { locks: false })
  if (!found.ok) return found
  if (found.value.isKnown) return err('has_account')
  if (name.length < 1 || name.length > 200 || name.includes('\0')) return err('invalid_name')
  const problem = await findPasswordProblem(password, { email: found.value.email, name })
  if (problem) return err(problem)
  // Outside the transaction, and only for a right token: hashing takes time on purpose.
  const passwordHash = await hashPassword(password)
  return withTransaction<Accepted, AcceptFailure>(pool, (trx) => accept(trx, token, { name, passwordHash, source: command.source }))
}

async function accept(
  trx: TrxClient,
  token: string,
  { name, passwordHash, source }: { name: string; passwordHash: string; source: JoinSource },
): Promise<Result<Accepted, AcceptFailure>> {
  const found = await findInvitation(trx, token, { locks: true })
  if (!found.ok) return found
  const { email, requiresSecondFactor } = found.value
  const { personId, isNew } = await insertPerson(trx, { personId: randomUUID(), email, name, passwordHash })
  // The account was created a moment ago.
  if (!isNew) return err('has_account')
  await joinApplication(trx, { invitation: found.value, personId, name, source })
  return ok({ personId, email, requiresSecondFactor })
}

type Answer = { personId: string; invitationId: string; accepts: boolean; source: JoinSource }

/**
 * A person with an account accepts or declines an invitation to another application, in their own session. Until then that application learns
 * nothing about them and can do nothing to them; accepting grants no rights before `activateMembership`.
 */
export async function answerOwnInvitation(pool: Pool, command: Answer): Promise<Result<void, 'not_found'>> {
  const { personId, invitationId, accepts, source } = command
  return withTransaction<void, 'not_found'>(pool, async (trx) => {
    const invitation = await lockOwnInvitation(trx, personId, invitationId)
    if (!invitation) return err('not_found')
    if (accepts) {
      await joinApplication(trx, { invitation, personId, name: null, source })
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

/** The address and the browser with which a person joined. */
type JoinSource = { address: string; userAgent: string }

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
  source: JoinSource
}

/**
 * Records that a person joined with an invitation, and makes the code that they tell the proposer. They have no rights yet: the one who
 * confirmed the invitation had the link and could have used it. The entry says so if the address and the browser are theirs.
 */
async function joinApplication(trx: TrxClient, { invitation, personId, name, source }: Joining): Promise<void> {
  const { applicationId, invitationId, email, roles, proposedBy, confirmedBy } = invitation
  const [address, userAgent] = [source.address.slice(0, 64), storedUserAgent(source.userAgent)]
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
