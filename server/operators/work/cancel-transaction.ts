import { CANCELLED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { err, type Result } from '#lib/result.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { ChangedMeanwhileError } from '#server/database/with-transaction.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import { transition, type Wake, wakeFor } from '#server/transactions/transition.ts'
import { lockUnsent } from './operator-work-store.ts'

type CancelCommand = { applicationId: string; transactionId: string; apiUserId: string }

export type CancelFailure =
  | 'not_found'
  /** A person or a file started it: people take it back. */
  | 'not_started_by_program'
  /** It has its result. */
  | 'final'
  /** The operator may have it. */
  | 'already_sent'

/**
 * A program takes back a transaction that it started: one that waits for a checker, or one of which nothing has been sent to the operator. It ends
 * FAILED, what was held is released, and the webhook is sent. The same cancellation again returns what the first one did.
 */
export async function cancelTransaction(
  deps: { pool: Pool; wake: Wake },
  { applicationId, transactionId, apiUserId }: CancelCommand,
): Promise<Result<Transaction, CancelFailure>> {
  const actor = { kind: 'api' as const, id: apiUserId }
  const cancelled = await runRecorded<Transaction, CancelFailure>(deps.pool, { applicationId, actor }, async (trx) => {
    await lockCounters(trx, applicationId)
    const transaction = await findTransaction(trx, applicationId, transactionId)
    if (!transaction) return err('not_found')
    if (transaction.source !== 'api') return err('not_started_by_program')
    if (transaction.status === 'FAILED' && transaction.message === CANCELLED_MESSAGE) return done(null, transaction)
    if (transaction.status === 'SUCCESS' || transaction.status === 'FAILED') return err('final')
    const isWaiting = transaction.status === 'PENDING_APPROVAL'
    // Locks the work, so that no claim of it can begin before this has ended.
    if (!isWaiting && !(await lockUnsent(trx, { applicationId, transactionId }))) return err('already_sent')
    const event = isWaiting ? ('recalled' as const) : ('stopped' as const)
    const [outcome] = await transition(trx, [
      { applicationId, transactionId, event, message: CANCELLED_MESSAGE, reason: CANCELLED_MESSAGE, actor },
    ])
    if (!outcome?.isMoved) throw new ChangedMeanwhileError(`The cancellation of ${transactionId} did not move it`)
    const after = await findTransaction(trx, applicationId, transactionId)
    if (!after) throw new Error('A cancelled transaction is gone')
    return done({ action: 'transaction.cancelled', subject: transactionId, details: { wasWaiting: isWaiting } }, after)
  })
  if (cancelled.ok) wakeFor(deps.wake, cancelled.value.status)
  return cancelled
}
