import type { WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import {
  type AttemptRow,
  readRequestFacts,
  selectAttempts,
  selectDelivery,
  selectHealth,
  selectWaitingResend,
  type WaitingResendRow,
} from './history-store.ts'
import { readResendObstacle } from './resend-webhook.ts'
import { webhookIdOf, webhookPayload } from './send/sign-webhook.ts'

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

/** How many deliveries of one receiver ended within the window, and how many are due. */
type TargetHealth = {
  target: string
  delivered: number
  due: number
  exhausted: number
  lastDeliveredAt: Date | null
  /** A delivery is exhausted, or has been due for longer than a first attempt takes. */
  isTroubled: boolean
}

export type WebhookHealth = {
  /** Covers deliveries that ended at `after` or later and before `before`. */
  after: Date
  before: Date
  delivered: number
  due: number
  exhausted: number
  targets: TargetHealth[]
}

const TARGETS_MAX = 100

/**
 * Returns an application's webhooks of the last 24 hours: deliveries, never attempts, so that each figure is a list of transactions. At
 * most a hundred receivers are listed, those with most exhausted deliveries first; the sums include all.
 */
export async function webhookHealth(queryable: Queryable, applicationId: string): Promise<WebhookHealth> {
  const rows = await selectHealth(queryable, applicationId, TARGETS_MAX)
  const [all] = rows
  if (!all) throw new Error('A sum over nothing is a row too')
  const countsOf = (row: typeof all) => ({ delivered: Number(row.delivered), due: Number(row.due), exhausted: Number(row.exhausted) })
  return {
    after: all.from_at,
    before: all.until_at,
    ...countsOf(all),
    targets: rows.flatMap((row) => {
      if (row.target === null) return []
      return [{ target: row.target, ...countsOf(row), lastDeliveredAt: row.last_delivered_at, isTroubled: row.is_troubled }]
    }),
  }
}

type Delivery = {
  /** Made again from what is stored: every attempt sends the same bytes. */
  request: { url: string; webhookId: string; body: string }
  history: WebhookHistory
  /** The reason why a resend is not possible now. */
  obstacle: { code: string; retryAfterMs: number } | null
}

/** Returns one webhook with its request and its attempts; null if there is no webhook (yet), undefined if the application has no such transaction. */
export async function readDelivery(
  queryable: Queryable,
  { applicationId, transactionId, copiesStatus }: { applicationId: string; transactionId: string; copiesStatus: boolean },
): Promise<Delivery | null | undefined> {
  const facts = await readRequestFacts(queryable, applicationId, transactionId)
  if (!facts) return undefined
  const { url, finalAt } = facts
  const history = await listWebhookAttempts(queryable, applicationId, transactionId)
  if (!history || url === null || finalAt === null) return null
  const obstacle = await readResendObstacle(queryable, { applicationId, transactionId })
  const body = webhookPayload({ ...facts, transactionId, finalAt: finalAt.toISOString() }, copiesStatus)
  return {
    request: { url, webhookId: webhookIdOf(transactionId), body },
    history,
    obstacle: typeof obstacle === 'string' ? { code: obstacle, retryAfterMs: 0 } : obstacle,
  }
}
