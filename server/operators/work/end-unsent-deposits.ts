import { FLOAT_MESSAGE, REFUND_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { ok } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { ChangedMeanwhileError, withTransaction } from '#server/database/with-transaction.ts'
import { SYSTEM_ACTOR, type TransitionItem, transition, type Wake } from '#server/transactions/transition.ts'
import { findApplicationsWithUnsent, lockUnsentDeposits, UNSENT_CAUSES, type UnsentCause } from './unsent-store.ts'

const ENDED_AT_ONCE = 500
const MESSAGES: Readonly<Record<UnsentCause, string>> = { float: FLOAT_MESSAGE, collect_corrected: REFUND_MESSAGE }

/**
 * Ends deposits that wait and will not be sent as FAILED, with the hold released and a webhook: those that have waited for float longer than their
 * application allows, and refunds of collects that were corrected in the books since. Returns how many it ended.
 */
export async function endUnsentDeposits({ pool, wake }: { pool: Pool; wake: Pick<Wake, 'webhooks'> }): Promise<number> {
  let ended = 0
  for (const cause of UNSENT_CAUSES) {
    for (const applicationId of await findApplicationsWithUnsent(pool, cause)) {
      let count: number
      do {
        const result = await withTransaction<number, never>(pool, async (trx) => ok(await endSome(trx, cause, applicationId)))
        count = result.ok ? result.value : 0
        ended += count
      } while (count === ENDED_AT_ONCE)
    }
  }
  if (ended > 0) wake.webhooks()
  return ended
}

async function endSome(trx: Queryable, cause: UnsentCause, applicationId: string): Promise<number> {
  await lockCounters(trx, applicationId)
  const transactionIds = await lockUnsentDeposits(trx, cause, applicationId, ENDED_AT_ONCE)
  const items = transactionIds.map((transactionId): TransitionItem => {
    return { applicationId, transactionId, event: 'stopped', message: MESSAGES[cause], actor: SYSTEM_ACTOR }
  })
  if (items.length === 0) return 0
  const outcomes = await transition(trx, items)
  if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A deposit that was not sent did not end')
  return items.length
}
