import { CANCELLED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { err, type Result } from '#lib/result.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { ChangedMeanwhileError } from '#server/database/with-transaction.ts'
import { type TransitionItem, transition, type Wake, wakeFor } from '#server/transactions/transition.ts'
import { lockWork, selectProgramBatchState, selectUnsent, selectWaiting } from './batch-run-store.ts'

export type CancelBatchFailure =
  /** The application has no such batch of a program. */
  | 'not_found'
  /** Rows are still being started. */
  | 'starting'

/**
 * A program takes back every row of its batch that waits for a checker or of which nothing has been sent to the operator: each ends FAILED, what was
 * held is released, and its webhook is sent. Rows that may have been sent go on. It is one database transaction, and the same cancellation again
 * finds what is left. Returns how many rows ended.
 */
export async function cancelBatch(
  deps: { pool: Pool; wake: Wake },
  { applicationId, batchId, apiUserId }: { applicationId: string; batchId: string; apiUserId: string },
): Promise<Result<{ count: number }, CancelBatchFailure>> {
  const actor = { kind: 'api', id: apiUserId } as const
  const cancelled = await runRecorded<{ count: number }, CancelBatchFailure>(deps.pool, { applicationId, actor }, async (trx) => {
    await lockCounters(trx, applicationId)
    const state = await selectProgramBatchState(trx, applicationId, batchId)
    if (state === undefined) return err('not_found')
    if (state === 'submitting') return err('starting')
    // Locks the work, so that no claim of it can begin before this has ended.
    await lockWork(trx, applicationId, batchId)
    const end = { applicationId, message: CANCELLED_MESSAGE, reason: CANCELLED_MESSAGE, actor }
    const waiting = await selectWaiting(trx, applicationId, batchId)
    const unsent = await selectUnsent(trx, applicationId, batchId)
    const items: TransitionItem[] = [
      ...waiting.map((transactionId) => ({ ...end, transactionId, event: 'recalled' as const })),
      ...unsent.map((transactionId) => ({ ...end, transactionId, event: 'stopped' as const })),
    ]
    const count = items.length
    if (count === 0) return done(null, { count })
    const outcomes = await transition(trx, items)
    if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A cancellation of a batch did not move all of it')
    return done({ action: 'batch.cancelled', subject: batchId, details: { rows: count } }, { count })
  })
  if (cancelled.ok && cancelled.value.count > 0) wakeFor(deps.wake, 'FAILED')
  return cancelled
}
