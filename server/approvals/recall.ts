import { err, type Result } from '#lib/result.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { ChangedMeanwhileError } from '#server/database/with-transaction.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { transition, type Wake, wakeFor } from '#server/transactions/transition.ts'
import { selectBatch, selectWaitingRowIds } from './batch-store.ts'

type RecallCommand = { applicationId: string; transactionId: string; makerId: string; reason: string }
type RecallFailure = 'not_found' | 'not_the_maker' | 'not_waiting'

/** A maker takes back what still waits: it ends FAILED with the maker's reason, and the deliveries of this process are woken. */
export async function recallTransaction(
  deps: { pool: Pool; wake: Wake },
  command: RecallCommand,
): Promise<Result<Transaction, RecallFailure>> {
  const { applicationId, transactionId, makerId, reason } = command
  const actor = { kind: 'person' as const, id: makerId }
  const recalled = await runRecorded<Transaction, RecallFailure>(deps.pool, { applicationId, actor }, async (trx) => {
    await lockCounters(trx, applicationId)
    const transaction = await findTransaction(trx, applicationId, transactionId)
    if (!transaction) return err('not_found')
    if (transaction.makerId !== makerId) return err('not_the_maker')
    const [outcome] = await transition(trx, [{ applicationId, transactionId, event: 'recalled', message: reason, reason, actor }])
    if (!outcome?.isMoved) return err('not_waiting')
    const after = await findTransaction(trx, applicationId, transactionId)
    if (!after) throw new Error('A recalled transaction is gone')
    return done({ action: 'transaction.recalled', subject: transactionId, details: { reason } }, after)
  })
  if (recalled.ok) wakeFor(deps.wake, recalled.value.status)
  return recalled
}

type RecallBatchCommand = { applicationId: string; batchId: string; makerId: string; reason: string }
type RecallBatchFailure = 'not_found' | 'not_the_maker' | 'not_waiting' | 'submitting'

/**
 * A maker takes back everything of a batch that still waits, at once: it ends FAILED with the maker's reason. Returns how many rows.
 * Rows that were decided already stay as they are.
 */
export async function recallBatch(
  deps: { pool: Pool; wake: Wake },
  { applicationId, batchId, makerId, reason }: RecallBatchCommand,
): Promise<Result<{ count: number }, RecallBatchFailure>> {
  const actor = { kind: 'person' as const, id: makerId }
  const recalled = await runRecorded<{ count: number }, RecallBatchFailure>(deps.pool, { applicationId, actor }, async (trx) => {
    await lockCounters(trx, applicationId)
    const batch = await selectBatch(trx, { applicationId, id: makerId }, batchId)
    if (!batch) return err('not_found')
    if (batch.makerId !== makerId) return err('not_the_maker')
    if (batch.state !== null && batch.state !== 'submitted') return err('submitting')
    const ids = await selectWaitingRowIds(trx, applicationId, batchId)
    if (ids.length === 0) return err('not_waiting')
    const move = { applicationId, event: 'recalled' as const, message: reason, reason, actor }
    const items = ids.map((transactionId) => ({ ...move, transactionId }))
    const outcomes = await transition(trx, items)
    if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A recall did not move the whole batch')
    return done({ action: 'batch.recalled', subject: batchId, details: { reason, rows: ids.length } }, { count: ids.length })
  })
  if (recalled.ok) wakeFor(deps.wake, 'FAILED')
  return recalled
}
