import { isCleanText } from '#lib/clean-text.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { endFunding } from './funding-store.ts'
import { type DecideFailure, lockOpenFunding } from './lock-open-funding.ts'

/** Refuses a funding that somebody else proposed. `reason`: 1 to 500 characters, shown to the proposer. */
export async function refuseFunding(
  pool: Pool,
  command: { applicationId: string; fundingId: string; reason: string; actor: PersonCommandActor },
): Promise<Result<void, DecideFailure | 'invalid_reason'>> {
  const { applicationId, fundingId, actor } = command
  const reason = command.reason.trim()
  if (reason.length < 1 || reason.length > 500 || !isCleanText(reason)) return err('invalid_reason')
  return withTransaction<void, DecideFailure>(pool, async (trx) => {
    const locked = await lockOpenFunding(trx, command)
    if (!locked.ok) return locked
    await endFunding(trx, { applicationId, fundingId, outcome: 'refused', decidedBy: actor.id, reason })
    const { kind, operator, reference, proposedBy } = locked.value
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'funding.refused',
      subject: fundingId,
      details: { kind, operator, reference, proposedBy, reason },
    })
    return ok(undefined)
  })
}
