import type { Queryable } from '#server/database/pool.ts'
import type { AttemptOutcome } from './send-webhook.ts'
import { selectAttempts, selectDelivery } from './webhook-store.ts'

export type WebhookAttempt = {
  number: number
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus: number | null
  detail: string | null
  /** From when it was due until it began; null where that was not recorded. */
  waitedMs: number | null
}

/**
 * `nextAt` is when the next attempt is due (or, during one, when its lease ends); null once the delivery is over. `isLate`:
 * the next attempt is overdue by more than 5 s, because the receiver's queue has not reached it.
 */
export type WebhookHistory = {
  state: 'due' | 'delivered' | 'exhausted'
  nextAt: Date | null
  finishedAt: Date | null
  isLate: boolean
  attempts: WebhookAttempt[]
}

/**
 * The webhook of one transaction and every attempt made so far, in order; undefined while the transaction is not final
 * or when the application has no such transaction.
 */
export async function listWebhookAttempts(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<WebhookHistory | undefined> {
  const delivery = await selectDelivery(queryable, applicationId, transactionId)
  if (!delivery) return undefined
  const rows = await selectAttempts(queryable, applicationId, transactionId)
  return {
    state: delivery.state,
    nextAt: delivery.state === 'due' ? delivery.next_at : null,
    finishedAt: delivery.finished_at,
    isLate: delivery.is_late,
    attempts: rows.map((row) => ({
      number: row.number,
      startedAt: row.started_at,
      durationMs: row.duration_ms,
      outcome: row.outcome,
      httpStatus: row.http_status,
      detail: row.detail,
      waitedMs: row.waited_ms,
    })),
  }
}
