import { CHANGE_LIFETIME_DAYS, CHANGE_PERMISSIONS, type CollectedSecret, isChangeKind } from '#lib/approvals/proposed-change.ts'
import { can, type Permission } from '#lib/people/permissions.ts'
import { err, type FreshCodeRefusal, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockActiveMember } from '#server/people/person-store.ts'
import { checkFreshCode } from '#server/people/second-factor.ts'
import { loadActor } from '#server/people/sessions.ts'
import type { BoundChange } from './change-kind.ts'
import {
  endChange,
  endCollection,
  lockChange,
  lockCollectable,
  openCollection,
  removeExpiredPayloads,
  type StoredChange,
} from './change-store.ts'
import { KINDS } from './kinds.ts'

type DecideFailure =
  | 'not_found'
  | 'not_permitted'
  /** It was confirmed, refused or withdrawn, or has expired. */
  | 'not_open'
  | 'own_proposal'
  /** The change is about the person who decides. */
  | 'about_you'

/** A change that can be decided, and what its kind requires. */
type LockedChange = { stored: StoredChange; change: BoundChange; proposePermission: Permission; makesSecret: boolean }

/**
 * Whether a person holds a permission now. They keep it until the transaction ends: the roles of an actor are those at the start of the
 * request, and a suspension that was committed before the lock of the application was free would otherwise come too late.
 */
async function stillHolds(trx: TrxClient, applicationId: string, personId: string, permission: Permission): Promise<boolean> {
  return can((await lockActiveMember(trx, applicationId, personId)) ?? [], permission)
}

/** Locks a change that can still be decided, for a person who may decide it. */
async function lockOpenChange(
  trx: TrxClient,
  { applicationId, changeId, actor }: { applicationId: string; changeId: string; actor: PersonCommandActor },
): Promise<Result<LockedChange, DecideFailure>> {
  // The application first, as everywhere: its changes come one after the other.
  if (!(await lockApplication(trx, applicationId))) return err('not_found')
  const stored = await lockChange(trx, applicationId, changeId)
  if (!stored || !isChangeKind(stored.kind)) return err('not_found')
  const kind = KINDS[stored.kind]
  const needs = CHANGE_PERMISSIONS[stored.kind]
  if (!mayAct(actor, applicationId, needs.confirm)) return err('not_permitted')
  if (!(await stillHolds(trx, applicationId, actor.id, needs.confirm))) return err('not_permitted')
  if (!stored.isOpen) return err('not_open')
  const change = kind.bind(stored.payload)
  if (!change.ok) throw new Error(`The payload of change ${changeId} cannot be read`)
  if (stored.proposedBy === actor.id) return err('own_proposal')
  if (change.value.personId === actor.id) return err('about_you')
  return ok({ stored, change: change.value, proposePermission: needs.propose, makesSecret: kind.makesSecret })
}

type ConfirmFailure =
  | DecideFailure
  | FreshCodeRefusal
  /** The present value differs from the one both people saw: the change has to be proposed again. */
  | 'changed_meanwhile'
  /** The person who proposed it was blocked, has left, or no longer has the roles that it needs. */
  | 'proposer_gone'
  /** The command refused, such as `not_a_member`. */
  | { code: 'refused'; reason: string }

/** `secret`: what the change has made and nobody can read later, such as the token of an invitation. */
type Confirmed = { secret: string | null }

/** `code`: a current one-time code, where the application requires the second factor. */
type ConfirmChange = { applicationId: string; changeId: string; code?: string | undefined; actor: PersonCommandActor }

/**
 * Confirms a change that somebody else proposed, and makes it in the same database transaction: it is either made and recorded, or
 * neither. It takes effect in every process within a second, as if the command had been run. A code is used up even if the confirmation is
 * then refused.
 */
export async function confirmChange(
  deps: { pool: Pool; clock: Clock },
  command: ConfirmChange,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const { applicationId, changeId, code, actor } = command
  const checked = await checkFreshCode(deps, { applicationId, personId: actor.id, code })
  if (!checked.ok) return checked
  const { withCode } = checked.value
  return withTransaction<Confirmed, ConfirmFailure>(deps.pool, async (trx) => {
    const locked = await lockOpenChange(trx, command)
    if (!locked.ok) return locked
    const { stored, change, makesSecret, proposePermission } = locked.value
    // A proposal is worth as much as its proposer now: two people must be allowed to make the change when it is made.
    if (!(await stillHolds(trx, applicationId, stored.proposedBy, proposePermission))) return err('proposer_gone')
    const present = await change.read(trx, applicationId)
    if (!present.ok) return err({ code: 'refused', reason: present.error })
    if (!isSame(present.value.before, stored.before)) return err('changed_meanwhile')
    const applied = await change.apply(trx, applicationId, { actor, proposedBy: stored.proposedBy })
    if (!applied.ok) return err({ code: 'refused', reason: applied.error })
    await endChange(trx, { applicationId, changeId, outcome: 'confirmed', decidedBy: actor.id, reason: '' })
    if (makesSecret) await openCollection(trx, applicationId, changeId, CHANGE_LIFETIME_DAYS)
    const { kind, subject, proposedBy, before, after } = stored
    const details = JSON.parse(JSON.stringify({ kind, subject, proposedBy, before, after, ...withCode }))
    await appendAudit(trx, { applicationId, actor, action: 'change.confirmed', subject: changeId, details })
    return ok(applied.value)
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
  command: { applicationId: string; changeId: string; reason: string; actor: PersonCommandActor },
): Promise<Result<void, DecideFailure | 'invalid_reason'>> {
  const { applicationId, changeId, actor } = command
  const reason = command.reason.trim()
  if (reason.length < 1 || reason.length > 500 || reason.includes('\0')) return err('invalid_reason')
  return withTransaction<void, DecideFailure>(pool, async (trx) => {
    const locked = await lockOpenChange(trx, command)
    if (!locked.ok) return locked
    await endChange(trx, { applicationId, changeId, outcome: 'refused', decidedBy: actor.id, reason })
    const { kind, subject, proposedBy } = locked.value.stored
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'change.refused',
      subject: changeId,
      details: { kind, subject, proposedBy, reason },
    })
    return ok(undefined)
  })
}

/** Takes back an own proposal that nobody has decided. The person may meanwhile have lost the role: withdrawing moves nothing. */
export async function withdrawChange(
  pool: Pool,
  command: { applicationId: string; changeId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_found' | 'not_open'>> {
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

type CollectFailure =
  | FreshCodeRefusal
  | 'not_found'
  | 'not_permitted'
  /** It was collected, or the time for it is over. */
  | 'not_collectable'
  /** The person who confirmed it could no longer confirm it. */
  | 'confirmation_ended'
  /** The command refused, such as `too_many_keys`. */
  | { code: 'refused'; reason: string }

/** `code`: a current one-time code, where the application requires the second factor. */
type CollectSecret = { applicationId: string; changeId: string; code?: string | undefined; actor: PersonCommandActor }

/**
 * Makes the secret of a change that somebody else confirmed and returns it to its proposer, once. The secret is generated here: between the
 * confirmation and this call there is nothing to steal, and neither the second person nor the database ever has it. The command runs in
 * the name of the person who confirmed, whose roles are read again. A code is used up even if nothing is then collected.
 */
export async function collectSecret(
  deps: { pool: Pool; clock: Clock },
  command: CollectSecret,
): Promise<Result<CollectedSecret, CollectFailure>> {
  const { applicationId, changeId, code, actor } = command
  const checked = await checkFreshCode(deps, { applicationId, personId: actor.id, code })
  if (!checked.ok) return checked
  return withTransaction<CollectedSecret, CollectFailure>(deps.pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('not_found')
    const stored = await lockCollectable(trx, applicationId, changeId)
    if (!stored || stored.proposedBy !== actor.id || !isChangeKind(stored.kind)) return err('not_found')
    const [kind, needs] = [KINDS[stored.kind], CHANGE_PERMISSIONS[stored.kind]]
    if (!mayAct(actor, applicationId, needs.propose)) return err('not_permitted')
    if (!(await stillHolds(trx, applicationId, actor.id, needs.propose))) return err('not_permitted')
    if (!stored.isCollectable) return err('not_collectable')
    const change = kind.bind(stored.payload)
    if (!change.ok) throw new Error(`The payload of change ${changeId} cannot be read`)
    const confirmer = await readConfirmer(trx, applicationId, stored.decidedBy)
    if (!confirmer || !can(confirmer.roles, needs.confirm)) return err('confirmation_ended')
    const collected = await change.value.collect(trx, { applicationId, actor: confirmer, collectorId: actor.id, now: deps.clock.now() })
    if (!collected.ok) return err({ code: 'refused', reason: collected.error })
    await endCollection(trx, applicationId, changeId)
    const details = { kind: stored.kind, subject: stored.subject, confirmedBy: confirmer.id, ...checked.value.withCode }
    await appendAudit(trx, { applicationId, actor, action: 'change.collected', subject: changeId, details })
    return ok(collected.value)
  })
}

async function readConfirmer(trx: TrxClient, applicationId: string, personId: string | null): Promise<PersonCommandActor | undefined> {
  const confirmer = personId === null ? undefined : await loadActor(trx, personId, applicationId)
  if (!confirmer?.ok) return undefined
  const { kind, id, roles } = confirmer.value
  return { kind, id, applicationId, roles }
}

/** Removes the secrets of proposals that have expired. Decided and withdrawn proposals keep none. */
export async function forgetExpiredSecrets(queryable: Queryable): Promise<void> {
  await removeExpiredPayloads(queryable)
}
