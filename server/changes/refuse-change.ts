import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { endChange } from './change-store.ts'
import { type DecideFailure, lockOpenChange } from './lock-open-change.ts'

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
