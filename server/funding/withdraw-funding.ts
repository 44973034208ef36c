import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { endFunding, lockFunding } from './funding-store.ts'

/** Takes back an own funding that nobody has decided. The person may meanwhile have lost the role: withdrawing moves nothing. */
export async function withdrawFunding(
  pool: Pool,
  command: { applicationId: string; fundingId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_found' | 'not_open'>> {
  const { applicationId, fundingId, actor } = command
  if (actor.applicationId !== applicationId) return err('not_found')
  return withTransaction<void, 'not_found' | 'not_open'>(pool, async (trx) => {
    const stored = await lockFunding(trx, applicationId, fundingId)
    if (!stored || stored.proposedBy !== actor.id) return err('not_found')
    if (!stored.isOpen) return err('not_open')
    await endFunding(trx, { applicationId, fundingId, outcome: 'withdrawn', decidedBy: actor.id, reason: '' })
    const { kind, operator, reference } = stored
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'funding.withdrawn',
      subject: fundingId,
      details: { kind, operator, reference },
    })
    return ok(undefined)
  })
}
