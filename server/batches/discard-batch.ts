import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct } from '#server/audit/command-actor.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { lockBatch, removeRows, updateState } from './batch-store.ts'
import type { ChangeCommand, ChangeDeps, ChangeFailure } from './change-batch.ts'

/** Discards a batch that was not submitted. Its rows are removed; that it existed stays on record. */
export async function discardBatch(deps: Pick<ChangeDeps, 'pool'>, command: ChangeCommand): Promise<Result<null, ChangeFailure>> {
  const { application, actor, batchId, version } = command
  const { applicationId } = application
  if (!mayAct(actor, applicationId, 'transaction:create')) return err('not_permitted')
  return withTransaction<null, ChangeFailure>(deps.pool, async (trx) => {
    const batch = await lockBatch(trx, applicationId, batchId)
    if (!batch) return err('not_found')
    if (batch.state !== 'checking' && batch.state !== 'draft') return err('not_a_draft')
    if (batch.version !== version) return err('changed_meanwhile')
    await updateState(trx, { applicationId, batchId, state: 'discarded' })
    await removeRows(trx, applicationId, batchId)
    await appendAudit(trx, {
      applicationId,
      actor: { kind: 'person', id: actor.id },
      action: 'batch.discarded',
      subject: batchId,
      details: { name: batch.name, rows: batch.rowCount },
    })
    return ok(null)
  })
}
