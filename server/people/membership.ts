import { can, combinesRoles, ROLES, type Role } from '#lib/people/permissions.ts'
import { err, type FreshProofRefusal, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { type CommandActor, mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { type Done, done, runCommand } from '#server/audit/run-command.ts'
import { isSpokenCode } from '#server/credentials/secrets.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { heldLinkOf, lockInvitation, markActivated, noteWrongCode, withdrawOpenInvitation } from './invitation-store.ts'
import {
  hasSuspendedAdministrator,
  insertMembership,
  listActiveMembers,
  lockActiveMember,
  mayCombineRoles,
  readMember,
  suspendMembership,
  updateMembership,
} from './person-store.ts'
import { checkFreshProof, type FreshProof, type ProvenBy } from './sign-in/fresh-proof.ts'

type SetMembership = { applicationId: string; personId: string; roles?: readonly Role[]; isActive?: boolean; actor: CommandActor }

type MembershipFailure = 'not_permitted' | 'own_membership' | 'invalid_roles' | 'not_a_member' | 'combined_roles'

/**
 * Changes what a person may do in an application, or whether they may do anything there. In force with their next request.
 * Nobody changes their own: an administrator cannot make themselves a checker of what they prepared.
 * `combined_roles`: the person would be maker, checker and administrator, which the application's settings do not allow.
 */
export async function setMembership(database: Database, command: SetMembership): Promise<Result<void, MembershipFailure>> {
  const { applicationId, personId, isActive, actor } = command
  return runCommand<void, MembershipFailure>(database, command, 'people:change', async (trx) => {
    if (actor.id === personId) return err('own_membership')
    const roles = command.roles && ROLES.filter((role) => command.roles?.includes(role))
    if (roles && (roles.length === 0 || roles.length !== new Set(command.roles).size)) return err('invalid_roles')
    const before = await readMember(trx, applicationId, personId)
    if (before && (await combinesTooMuch(trx, applicationId, before, { roles, isActive }))) return err('combined_roles')
    if (!before || !(await updateMembership(trx, applicationId, personId, { roles, isActive }))) return err('not_a_member')
    const details = {
      before: { roles: before.roles, isActive: before.isActive },
      after: { roles: roles ?? before.roles, isActive: isActive ?? before.isActive },
    }
    return done({ action: 'person.membership_changed', subject: personId, details })
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

type SuspendFailure =
  | 'not_permitted'
  | 'own_membership'
  | 'not_a_member'
  /** This administrator suspended another one less than 24 hours ago. */
  | 'one_administrator_a_day'

/**
 * Suspends a membership at once: with their next request the person has no access to this application, and their approvals no longer count. It
 * removes privileges and grants none, so one administrator is enough; two lift it (`setMembership`). Other applications of the person are not concerned.
 * Of administrators, one person suspends one in 24 hours: nobody removes all those who could object.
 */
export async function suspendMember(
  pool: Pool,
  command: { applicationId: string; personId: string; actor: PersonCommandActor },
): Promise<Result<void, SuspendFailure>> {
  const { applicationId, personId, actor } = command
  return runCommand<void, SuspendFailure>(pool, command, 'people:change', async (trx) => {
    if (actor.id === personId) return err('own_membership')
    // One after the other: two at once may not leave one administrator, and somebody who was suspended a moment ago suspends nobody.
    if (!(await lockApplication(trx, applicationId))) return err('not_a_member')
    const members = await listActiveMembers(trx, applicationId)
    const administrators = members.filter(({ roles }) => can(roles, 'people:change')).map((member) => member.personId)
    if (!administrators.includes(actor.id)) return err('not_permitted')
    if (administrators.includes(personId) && (await hasSuspendedAdministrator(trx, applicationId, actor.id)))
      return err('one_administrator_a_day')
    if (!(await suspendMembership(trx, applicationId, personId, actor.id))) return err('not_a_member')
    return done({ action: 'person.suspended', subject: personId })
  })
}

/** Wrong codes before the invitation ends. A code has 30 bits, far too many for five guesses. */
const WRONG_CODES_MAX = 5

type ActivateFailure =
  | FreshProofRefusal
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

/** `spokenCode`: what the person who joined read out. `proof`: a fresh code or passkey, where the application requires the second factor. */
type Activation = {
  applicationId: string
  invitationId: string
  spokenCode: string
  proof?: FreshProof | undefined
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
  const { applicationId, actor, proof } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  const checked = await checkFreshProof(deps, { applicationIds: [applicationId], personId: actor.id, proof })
  if (!checked.ok) return checked
  const activated = await runCommand<{ personId: string } | WrongCode, ActivateFailure>(
    deps.pool,
    command,
    'people:change',
    async (trx) => {
      if (!(await lockApplication(trx, applicationId))) return err('not_found')
      return activate(trx, command, checked.value)
    },
  )
  if (!activated.ok) return activated
  return 'failure' in activated.value ? err(activated.value.failure) : ok(activated.value)
}

/** Not a refusal for the transaction, because its count has to be stored. */
type WrongCode = { failure: 'wrong_spoken_code' | 'too_many_codes' }

async function activate(
  trx: TrxClient,
  command: Activation,
  provenBy: ProvenBy,
): Promise<Result<Done<{ personId: string } | WrongCode>, ActivateFailure>> {
  const { applicationId, invitationId, actor } = command
  const invitation = await lockInvitation(trx, applicationId, invitationId)
  if (!invitation || invitation.acceptedBy === null || invitation.code === null) return err('not_found')
  const { acceptedBy: personId, code, email, roles, proposedBy, confirmedBy } = invitation
  if (invitation.linkHolders.includes(actor.id) || personId === actor.id) return err('had_the_link')
  // With the link of an earlier invitation, they could have made this account, and would tell the code to themselves.
  if (await heldLinkOf(trx, actor.id, personId)) return err('had_the_link')
  if (!(await isAdministrator(trx, applicationId, actor.id))) return err('not_permitted')
  if (actor.id !== proposedBy && (await isAdministrator(trx, applicationId, proposedBy))) return err('proposer_only')
  if (!invitation.isRecent) return err('too_old')
  if (!(await isAdministrator(trx, applicationId, confirmedBy))) return err('confirmation_ended')
  // The settings may have changed since the two people agreed.
  if (combinesRoles(roles) && !(await mayCombineRoles(trx, applicationId))) return err('combined_roles')
  if (!isSpokenCode(code, command.spokenCode)) return refuseCode(trx, command, email)
  const outcome = await insertMembership(trx, applicationId, personId, roles)
  if (outcome === 'unknown_application') throw new Error('The application of an invitation is gone')
  if (outcome === 'already_member') return err(outcome)
  await markActivated(trx, applicationId, invitationId, actor.id)
  const details = { email, roles, proposedBy, confirmedBy, ...provenBy }
  return done({ action: 'person.activated', subject: personId, details }, { personId })
}

/** Keeps the row of this administrator until the end of the transaction, so that a block at the same moment comes before or after. */
async function isAdministrator(trx: TrxClient, applicationId: string, personId: string): Promise<boolean> {
  const roles = await lockActiveMember(trx, applicationId, personId)
  return roles !== undefined && can(roles, 'people:change')
}

async function refuseCode(
  trx: TrxClient,
  { applicationId, invitationId }: Activation,
  email: string,
): Promise<Result<Done<WrongCode>, never>> {
  const failures = await noteWrongCode(trx, applicationId, invitationId)
  const isLast = failures >= WRONG_CODES_MAX
  if (isLast) await withdrawOpenInvitation(trx, applicationId, invitationId)
  const failure = isLast ? 'too_many_codes' : 'wrong_spoken_code'
  return done({ action: 'person.activation_failed', subject: email, details: { failures } }, { failure })
}
