import { FLOAT_MESSAGE } from '#lib/payments/transaction-status.ts'
import { ok } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { ChangedMeanwhileError, withTransaction } from '#server/database/with-transaction.ts'
import { SYSTEM_ACTOR, type TransitionItem, transition, type Wake } from '#server/transactions/transition.ts'
import { findApplicationsWithOverdue, lockOverdue } from './float-store.ts'

const ENDED_AT_ONCE = 500

/**
 * Ends deposits that have waited for float longer than their application allows as FAILED, with the hold released and a webhook. None of them
 * was sent. Returns how many it ended.
 */
export async function endOverdueDeposits({ pool, wake }: { pool: Pool; wake: Pick<Wake, 'webhooks'> }): Promise<number> {
  let ended = 0
  for (const applicationId of await findApplicationsWithOverdue(pool)) {
    let count: number
    do {
      const result = await withTransaction<number, never>(pool, async (trx) => ok(await endSome(trx, applicationId)))
      count = result.ok ? result.value : 0
      ended += count
    } while (count === ENDED_AT_ONCE)
  }
  if (ended > 0) wake.webhooks()
  return ended
}

async function endSome(trx: Queryable, applicationId: string): Promise<number> {
  await lockCounters(trx, applicationId)
  const transactionIds = await lockOverdue(trx, applicationId, ENDED_AT_ONCE)
  const items = transactionIds.map((transactionId): TransitionItem => {
    return { applicationId, transactionId, event: 'stopped', message: FLOAT_MESSAGE, actor: SYSTEM_ACTOR }
  })
  if (items.length === 0) return 0
  const outcomes = await transition(trx, items)
  if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A deposit that waited for float did not end')
  return items.length
}
