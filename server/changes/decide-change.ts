import { CHANGE_PERMISSIONS, isChangeKind } from '#lib/approvals/proposed-change.ts'
import { can, mayDecideElsewhere, type Permission, type Role } from '#lib/people/permissions.ts'
import { err, type FreshProofRefusal, ok, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import type { Clock } from '#lib/time/time.ts'
import { findInstallation } from '#server/applications/application-store.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication, lockCounters } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockActiveMember } from '#server/people/person-store.ts'
import { findDecidingApplication } from '#server/people/second-person-store.ts'
import { checkFreshProof, type FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { type BoundChange, type ChangeKind, type Refused, refused } from './change-kind.ts'
import { endChange, lockChange, type StoredChange } from './change-store.ts'
import { KINDS, kindsConfirmedAlone } from './kinds.ts'

type DecideFailure =
  | 'not_found'
  | 'not_permitted'
  /** It was confirmed, refused or withdrawn, or has expired. */
  | 'not_open'
  | 'own_proposal'
  /** The change is about the person who decides. */
  | 'about_you'
  /** A member of the application may confirm it meanwhile: nobody else decides it then. */
  | 'confirmed_there'

/** Which change of which application, and who decides it: a member, or an administrator of the application that runs the installation. */
type OneChange = { applicationId: string; changeId: string; actor: PersonCommandActor }
/**
 * A change that can be decided, with its kind and whether its proposer could still propose it. `actor`: the person who decides it, with the roles
 * that count for it, in the application whose change it is. `elsewhere`: for the audit entry, whether they belong to another one.
 */
type LockedChange = {
  stored: StoredChange
  kind: ChangeKind
  change: BoundChange
  isProposerGone: boolean
  actor: PersonCommandActor
  elsewhere: { memberOf?: string }
  /** The proposer decides, alone: it makes a secret of a sandbox. */
  isAlone: boolean
}

/** Whether a person holds a permission now. They keep it until the transaction ends. */
export async function stillHolds(trx: TrxClient, applicationId: string, personId: string, permission: Permission): Promise<boolean> {
  return can((await lockActiveMember(trx, applicationId, personId)) ?? [], permission)
}

/**
 * Returns the roles that count for a decision, which the person keeps until the transaction ends: the roles of an actor are those at the start of
 * the request, and a suspension that was committed before the lock of the application was free would otherwise come too late. Undefined for
 * people of an application that has nothing to do with the change.
 */
async function lockRolesOfDecider(
  trx: TrxClient,
  { applicationId, actor }: Pick<OneChange, 'applicationId' | 'actor'>,
  permission: Permission,
): Promise<readonly Role[] | undefined> {
  const isElsewhere = actor.applicationId !== applicationId
  if (isElsewhere && (await findInstallation(trx, applicationId)) !== actor.applicationId) return undefined
  const roles = (await lockActiveMember(trx, actor.applicationId, actor.id)) ?? []
  return isElsewhere && !mayDecideElsewhere(roles, permission) ? [] : roles
}

/**
 * Locks a change that can still be decided, for a person who may decide it at this moment. `confirms`: a refusal is never one's own, because a proposer
 * withdraws.
 */
async function lockOpenChange(
  trx: TrxClient,
  { applicationId, changeId, actor }: OneChange,
  { confirms }: { confirms: boolean },
): Promise<Result<LockedChange, DecideFailure>> {
  // The application first, as everywhere: its changes come one after the other.
  if (!(await lockApplication(trx, applicationId))) return err('not_found')
  const stored = await lockChange(trx, applicationId, changeId)
  if (!stored || !isChangeKind(stored.kind)) return err('not_found')
  const kind = KINDS[stored.kind]
  const needs = CHANGE_PERMISSIONS[stored.kind]
  const isAlone = confirms && stored.proposedBy === actor.id && (await kindsConfirmedAlone(trx)).has(stored.kind)
  const permission = isAlone ? needs.propose : needs.confirm
  const roles = await lockRolesOfDecider(trx, { applicationId, actor }, permission)
  if (!roles) return err('not_found')
  if (!mayAct(actor, actor.applicationId, permission) || !can(roles, permission)) return err('not_permitted')
  if (!stored.isOpen) return err('not_open')
  const change = kind.bind(stored.payload)
  if (!change.ok) throw new Error(`The payload of change ${changeId} cannot be read`)
  if (stored.proposedBy === actor.id && !isAlone) return err('own_proposal')
  if (change.value.personId === actor.id) return err('about_you')
  const isElsewhere = actor.applicationId !== applicationId
  const except = [stored.proposedBy, change.value.personId]
  const decision = { applicationId, permission: needs.confirm, except }
  if (isElsewhere && (await findDecidingApplication(trx, decision)) !== actor.applicationId) return err('confirmed_there')
  const proposerRoles = (await lockActiveMember(trx, applicationId, stored.proposedBy)) ?? []
  const isProposerGone = !can(proposerRoles, needs.propose) || !change.value.mayPropose(stored.proposedBy, proposerRoles)
  const deciding = { ...actor, applicationId, roles }
  const elsewhere = isElsewhere ? { memberOf: actor.applicationId } : {}
  return ok({ stored, kind, change: change.value, isProposerGone, actor: deciding, elsewhere, isAlone })
}

/** Why a change is not confirmed by a person whose proof was checked. */
export type ConfirmFailure =
  | DecideFailure
  /** The present value differs from the one both people saw: the change has to be proposed again. */
  | 'changed_meanwhile'
  /** The person who proposed it was blocked, has left, or no longer has the roles that it needs: only one person would answer for it. */
  | 'proposer_gone'
  /** The kind or its command refused, such as `not_a_member`. The change still waits. */
  | Refused

/** `secret`: what the change has made and nobody can read later, such as the token of an invitation. */
type Confirmed = { secret: string | null }

/**
 * Confirms a change that somebody else proposed, and makes it in the same database transaction: it is either made and recorded, or
 * neither. An administrator of the application that runs the installation confirms what nobody else in the application may, and in a sandbox the
 * proposer what makes a secret. It takes effect in every process within a second, as if the command had been run. `proof`: a fresh code or passkey, where one of
 * the applications requires the second factor; it is used up even if the confirmation is then refused.
 */
export async function confirmChange(
  deps: { pool: Pool; clock: Clock },
  command: OneChange & { proof?: FreshProof | undefined },
): Promise<Result<Confirmed, ConfirmFailure | FreshProofRefusal>> {
  const { applicationId, proof } = command
  const checked = await checkFreshProof(deps, {
    applicationIds: [applicationId, command.actor.applicationId],
    personId: command.actor.id,
    proof,
  })
  return checked.ok ? confirmProven(deps.pool, command, checked.value) : checked
}

/** The same once the proof was checked: `proofMarks` are what the audit record says about it. */
export function confirmProven(
  pool: Pool,
  command: OneChange,
  proofMarks: Readonly<Record<string, unknown>>,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const { applicationId, changeId } = command
  return withTransaction<Confirmed, ConfirmFailure>(pool, async (trx) => {
    const locked = await lockOpenChange(trx, command, { confirms: true })
    if (!locked.ok) return locked
    const { stored, kind, change, actor, elsewhere, isAlone } = locked.value
    const { subject, proposedBy } = stored
    if (locked.value.isProposerGone) return err('proposer_gone')
    if (kind.isRelative) await lockCounters(trx, change.ledgerId ?? applicationId)
    const present = await change.read(trx, applicationId)
    if (!present.ok) return refused(present.error)
    const { before, after, obstacle } = present.value
    if (obstacle !== undefined) return refused(obstacle)
    if (!kind.isRelative && !isSame(before, stored.before)) return err('changed_meanwhile')
    const applied = await change.apply(trx, { applicationId, changeId, actor, proposedBy })
    if (!applied.ok) return refused(applied.error)
    const confirmed = { before, after, isCollected: kind.makesSecret }
    await endChange(trx, { applicationId, changeId, outcome: 'confirmed', decidedBy: actor.id, reason: '', isAlone, confirmed })
    const marks = { ...elsewhere, ...(isAlone && { isAlone }), ...proofMarks }
    const details = JSON.parse(JSON.stringify({ kind: stored.kind, subject, proposedBy, before, after, ...marks }))
    await appendAudit(trx, { applicationId, actor, action: 'change.confirmed', subject: changeId, details })
    return applied
  })
}

/** Compared without the order of fields, which jsonb does not keep. */
function isSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}

/** Refuses a change that somebody else proposed. `reason`: 1 to 500 characters, shown to the proposer. */
export async function refuseChange(
  pool: Pool,
  command: OneChange & { reason: string },
): Promise<Result<void, DecideFailure | 'invalid_reason'>> {
  const { applicationId, changeId } = command
  const reason = command.reason.trim()
  if (reason.length < 1 || reason.length > 500 || !isCleanText(reason)) return err('invalid_reason')
  return withTransaction<void, DecideFailure>(pool, async (trx) => {
    const locked = await lockOpenChange(trx, command, { confirms: false })
    if (!locked.ok) return locked
    const { stored, actor, elsewhere } = locked.value
    await endChange(trx, { applicationId, changeId, outcome: 'refused', decidedBy: actor.id, reason })
    const { kind, subject, proposedBy } = stored
    const details = { kind, subject, proposedBy, reason, ...elsewhere }
    await appendAudit(trx, { applicationId, actor, action: 'change.refused', subject: changeId, details })
    return ok(undefined)
  })
}

/** Takes back an own proposal that nobody has decided. The person may meanwhile have lost the role: withdrawing moves nothing. */
export async function withdrawChange(pool: Pool, command: OneChange): Promise<Result<void, 'not_found' | 'not_open'>> {
  const { applicationId, changeId, actor } = command
  if (actor.applicationId !== applicationId) return err('not_found')
  return withTransaction<void, 'not_found' | 'not_open'>(pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('not_found')
    const stored = await lockChange(trx, applicationId, changeId)
    if (!stored || stored.proposedBy !== actor.id) return err('not_found')
    if (!stored.isOpen) return err('not_open')
    await endChange(trx, { applicationId, changeId, outcome: 'withdrawn', decidedBy: actor.id, reason: '' })
    const { kind, subject } = stored
    await appendAudit(trx, { applicationId, actor, action: 'change.withdrawn', subject: changeId, details: { kind, subject } })
    return ok(undefined)
  })
}
