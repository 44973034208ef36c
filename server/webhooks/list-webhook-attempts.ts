import type { WebhookState } from '#lib/webhook-state.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type AttemptRow, selectAttempts, selectDelivery, selectWaitingResend, type WaitingResendRow } from './history-store.ts'

/**
 * `number` counts the attempts in the order in which they started. `requestedBy` is the name of the person if the origin is a person.
 * `waitedMs` is from when the attempt was due until it started; null if that was not recorded.
 */
type WebhookAttempt = AttemptRow & { number: number }

/**
 * `nextAt` is when the next attempt of the schedule is due (or, during one, when its lease ends); null once the delivery has ended.
 * `isLate`: that attempt is overdue by more than 5 s, because the receiver's queue has not reached it. `waitingResend` is a resend that a
 * person requested and that has no outcome yet.
 */
export type WebhookHistory = {
  state: WebhookState
  nextAt: Date | null
  finishedAt: Date | null
  isLate: boolean
  attempts: WebhookAttempt[]
  waitingResend: WaitingResendRow | null
}

/**
 * Returns the webhook of one transaction and every attempt made so far, in order; undefined while the transaction is not final, or if the
 * application has no such transaction.
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
    nextAt: delivery.state === 'due' ? delivery.nextAt : null,
    finishedAt: delivery.finishedAt,
    isLate: delivery.isLate,
    attempts: rows.map((row, index) => ({ ...row, number: index + 1 })),
    waitingResend: (await selectWaitingResend(queryable, applicationId, transactionId)) ?? null,
  }
}
