import { FLOAT_MESSAGE } from '#lib/payments/transaction-status.ts'
import { ok } from '#lib/result.ts'
import { lockCounters } from '#server/database/application-locks.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { ChangedMeanwhileError, withTransaction } from '#server/database/with-transaction.ts'
import { SYSTEM_ACTOR, type TransitionItem, transition, type Wake } from '#server/transactions/transition.ts'

const ENDED_AT_ONCE = 500

/** Deposits that never left, and have waited for float longer than their application allows. */
const OVERDUE = `operator_floats f
  join operator_work w on w.operator = f.operator and w.type = 'DEPOSIT' and w.phase = 'queued'
  join applications a on a.application_id = w.application_id
  where f.waits_since is not null and greatest(f.waits_since, w.next_at) <= clock_timestamp() - a.float_wait_hours * interval '1 hour'
    and not may_have_left(w.application_id, w.transaction_id, w.submissions)`

/**
 * Ends deposits that have waited for float longer than their application allows as FAILED, with the hold released and a webhook. None of them
 * was sent. Returns how many it ended.
 */
export async function endOverdueDeposits({ pool, wake }: { pool: Pool; wake: Pick<Wake, 'webhooks'> }): Promise<number> {
  const { rows } = await pool.query<{ applicationId: string }>(`select distinct w.application_id as "applicationId" from ${OVERDUE}`)
  let ended = 0
  for (const { applicationId } of rows) {
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

/** A row that a claim has locked is on its way, and is left alone. */
async function endSome(trx: Queryable, applicationId: string): Promise<number> {
  await lockCounters(trx, applicationId)
  const { rows } = await trx.query<{ transactionId: string }>(
    `select w.transaction_id as "transactionId" from ${OVERDUE} and w.application_id = $1
      order by w.application_id, w.transaction_id limit ${ENDED_AT_ONCE} for update of w skip locked`,
    [applicationId],
  )
  const items = rows.map(({ transactionId }): TransitionItem => {
    return { applicationId, transactionId, event: 'stopped', message: FLOAT_MESSAGE, actor: SYSTEM_ACTOR }
  })
  if (items.length === 0) return 0
  const outcomes = await transition(trx, items)
  if (outcomes.some((outcome) => !outcome?.isMoved)) throw new ChangedMeanwhileError('A deposit that waited for float did not end')
  return items.length
}
