import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { endChange, lockChange } from './change-store.ts'

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
