import { CHANGE_LIFETIME_DAYS } from '#lib/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { endChange, openCollection } from './change-store.ts'
import { type DecideFailure, lockOpenChange } from './lock-open-change.ts'

type ConfirmFailure =
  | DecideFailure
  /** What is now differs from what both people saw: the change has to be proposed again. */
  | 'changed_meanwhile'
  /** The command refused, such as `not_a_member`. */
  | { code: 'refused'; reason: string }

/**
 * Confirms a change that somebody else proposed, and makes it in the same database transaction: it is either made and recorded, or
 * neither. It takes effect in every process within a second, as if the command had been run.
 */
export async function confirmChange(
  pool: Pool,
  command: { applicationId: string; changeId: string; actor: PersonCommandActor },
): Promise<Result<void, ConfirmFailure>> {
  const { applicationId, changeId, actor } = command
  return withTransaction<void, ConfirmFailure>(pool, async (trx) => {
    const locked = await lockOpenChange(trx, command)
    if (!locked.ok) return locked
    const { stored, change, makesSecret } = locked.value
    const present = await change.read(trx, applicationId)
    if (!present.ok) return err({ code: 'refused', reason: present.error })
    if (!isSame(present.value.before, stored.before)) return err('changed_meanwhile')
    const applied = await change.apply(trx, applicationId, actor)
    if (!applied.ok) return err({ code: 'refused', reason: applied.error })
    await endChange(trx, { applicationId, changeId, outcome: 'confirmed', decidedBy: actor.id, reason: '' })
    if (makesSecret) await openCollection(trx, applicationId, changeId, CHANGE_LIFETIME_DAYS)
    const details = { kind: stored.kind, subject: stored.subject, proposedBy: stored.proposedBy }
    await appendAudit(trx, { applicationId, actor, action: 'change.confirmed', subject: changeId, details })
    return ok(undefined)
  })
}

/** Compared without the order of fields, which jsonb does not keep. */
function isSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}
