import type { Queryable } from '#server/database/pool.ts'
import { readRequestFacts } from './delivery-list-queries.ts'
import { listWebhookAttempts, type WebhookHistory } from './list-webhook-attempts.ts'
import { readResendObstacle } from './resend-webhook.ts'
import { webhookIdOf } from './sign-webhook.ts'
import { webhookPayload } from './webhook-payload.ts'

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
