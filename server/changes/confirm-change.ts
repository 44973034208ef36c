import type { FreshCodeRefusal } from '#lib/action-result.ts'
import { can } from '#lib/permissions.ts'
import { CHANGE_LIFETIME_DAYS } from '#lib/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkFreshCode } from '#server/people/fresh-code.ts'
import { lockActiveMember } from '#server/people/person-queries.ts'
import { endChange, openCollection } from './change-store.ts'
import { type DecideFailure, type LockedChange, lockOpenChange } from './lock-open-change.ts'

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
    const { stored, change, makesSecret } = locked.value
    if (!(await mayStillPropose(trx, applicationId, locked.value))) return err('proposer_gone')
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

/** A proposal is worth as much as its proposer now: two people must be allowed to make the change when it is made. */
async function mayStillPropose(trx: TrxClient, applicationId: string, { stored, proposePermission }: LockedChange): Promise<boolean> {
  const roles = await lockActiveMember(trx, applicationId, stored.proposedBy)
  return roles !== undefined && can(roles, proposePermission)
}

/** Compared without the order of fields, which jsonb does not keep. */
function isSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}
