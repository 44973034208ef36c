import { err, ok, type Result } from '#lib/result.ts'
import { done } from '#server/audit/run-command.ts'
import { findSubmittedTwin, insertRelease, lockBatch, lockContent, recountBatch, updateState } from './batch-store.ts'
import { type ChangeCommand, type ChangeDeps, type ChangeFailure, contextOf, runBatchCommand } from './change-batch.ts'
import { recheckRows } from './rows/check-rows.ts'

type SubmitBatch = ChangeCommand & {
  /** Why the same payments are sent again; needed if another batch with the same content was submitted. */
  repeatReason: string | null
  /** When it is sent, if it is approved by then; null: as soon as it is approved. */
  releaseAt?: Date | null
}

export type SubmitFailure =
  | ChangeFailure
  | 'application_disabled'
  /** No row can be submitted. */
  | 'nothing_to_submit'
  /** Limits, services or fees changed since the last check: other rows can be submitted now. The batch was checked again. */
  | 'checked_again'
  /** The time to send it has passed, or is more than 30 days ahead. */
  | 'wrong_time'
  /** Another batch has the same payments, and no reason was given. */
  | 'same_content'

/**
 * Submits a batch for approval: from here on nobody changes it, and its rows are started (`batch-submitter.ts`). The rows are checked
 * again first, because the application may have changed since. A second submission of the same version is refused, so a double click
 * starts nothing twice. `wake` starts the rows immediately in this process.
 */
export async function submitBatch(
  deps: ChangeDeps & { wakeSubmitter(): void },
  command: SubmitBatch,
): Promise<Result<{ rows: number }, SubmitFailure>> {
  const { application, actor, batchId, repeatReason, releaseAt = null } = command
  const { applicationId } = application
  type Submitted = { rows: number; isChanged: boolean }
  const submitted = await runBatchCommand<Submitted, SubmitFailure>(deps.pool, command, ['draft'], async (trx, batch) => {
    if (!application.isEnabled) return err('application_disabled')
    const context = contextOf(deps, application, batch)
    if (!context) return err('not_a_draft')
    await recheckRows(trx, batch, context, null)
    await recountBatch(trx, applicationId, batchId, actor.id)
    const after = await lockBatch(trx, applicationId, batchId)
    if (!after) return err('not_found')
    if (after.readyCount !== batch.readyCount || !sameContent(after.contentHash, batch.contentHash)) {
      return done(null, { rows: after.readyCount, isChanged: true })
    }
    if (after.readyCount === 0 || !after.contentHash) return err('nothing_to_submit')
    // Two people who submit the same file at the same time: the second one finds the first.
    await lockContent(trx, applicationId, after.contentHash)
    const twin = await findSubmittedTwin(trx, applicationId, after.contentHash, batchId)
    if (twin && repeatReason === null) return err('same_content')
    // Held like a paused batch from its first row on, so that no approval sends it early.
    if (releaseAt && !(await insertRelease(trx, { applicationId, batchId, personId: actor.id, releaseAt }))) return err('wrong_time')
    await updateState(trx, {
      applicationId,
      batchId,
      state: 'submitting',
      repeatsBatchId: twin?.batchId ?? null,
      repeatReason: twin ? repeatReason : null,
    })
    const details = {
      name: batch.name,
      rows: after.readyCount,
      contentHash: after.contentHash.toString('hex'),
      sums: JSON.stringify(after.sums),
      ...(releaseAt ? { releaseAt: releaseAt.toISOString() } : {}),
      ...(twin ? { repeats: twin.batchId, reason: repeatReason ?? '' } : {}),
    }
    return done({ action: 'batch.submitted', subject: batchId, details }, { rows: after.readyCount, isChanged: false })
  })
  if (!submitted.ok) return submitted
  if (submitted.value.isChanged) return err('checked_again')
  deps.wakeSubmitter()
  return ok({ rows: submitted.value.rows })
}

function sameContent(left: Buffer | null, right: Buffer | null): boolean {
  return left === null || right === null ? left === right : left.equals(right)
}
