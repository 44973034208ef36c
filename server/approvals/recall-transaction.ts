import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { findTransaction } from '#server/transactions/transaction-queries.ts'
import { transition } from '#server/transactions/transition.ts'
import { type Wake, wakeFor } from '#server/transactions/wake.ts'

type RecallCommand = { applicationId: string; transactionId: string; makerId: string; reason: string }
type RecallFailure = 'not_found' | 'not_the_maker' | 'not_waiting'

/** A maker takes back what still waits: it ends FAILED with the maker's reason, and the deliveries of this process are woken. */
export async function recallTransaction(
  deps: { pool: Pool; wake: Wake },
  command: RecallCommand,
): Promise<Result<Transaction, RecallFailure>> {
  const { applicationId, transactionId, makerId, reason } = command
  const recalled = await withTransaction<Transaction, RecallFailure>(deps.pool, async (trx) => {
    await lockCounters(trx, applicationId)
    const transaction = await findTransaction(trx, applicationId, transactionId)
    if (!transaction) return err('not_found')
    if (transaction.makerId !== makerId) return err('not_the_maker')
    const actor = { kind: 'person' as const, id: makerId }
    const [outcome] = await transition(trx, [{ applicationId, transactionId, event: 'recalled', message: reason, reason, actor }])
    if (!outcome?.isMoved) return err('not_waiting')
    await appendAudit(trx, { applicationId, actor, action: 'transaction.recalled', subject: transactionId, details: { reason } })
    const after = await findTransaction(trx, applicationId, transactionId)
    return after ? ok(after) : err('not_found')
  })
  if (recalled.ok) wakeFor(deps.wake, recalled.value.status)
  return recalled
}
