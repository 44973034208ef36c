import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Role } from '#lib/people/permissions.ts'
import type { Pool } from '#server/database/pool.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { resendWebhook } from '#server/webhooks/resend-webhook.ts'
import { addDeliveries, type OutboxItem, type Receiver, startLoop } from '#server/webhooks/testing.ts'
import { listWebhookAttempts } from '../history.ts'

/** A transaction whose delivery is in this state, four attempts after they all failed or one after it succeeded. */
export async function addDelivery(pool: Pool, url: string, state: 'due' | 'delivered' | 'exhausted'): Promise<OutboxItem> {
  const [item] = await addDeliveries(pool, randomUUID(), [url])
  assert.ok(item)
  const attempts = { due: 1, delivered: 1, exhausted: 4 }[state]
  await pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome, http_status)
       select $1, $2, n, now() - interval '1 hour' + n * interval '1 minute', 1, $4, case $4 when 'delivered' then 200 else 500 end
         from generate_series(1, $3::integer) as n`,
    [item.applicationId, item.transactionId, attempts, state === 'delivered' ? 'delivered' : 'bad_status'],
  )
  await pool.query(
    `update webhook_deliveries set state = $3, attempts = $4, next_at = now() + interval '1 hour',
            finished_at = case when $3 <> 'due' then now() end
       where application_id = $1 and transaction_id = $2`,
    [item.applicationId, item.transactionId, state, attempts],
  )
  return item
}

export function personOf(applicationId: string, roles: readonly Role[] = ['finance'], id: string = randomUUID()) {
  return { kind: 'person' as const, id, applicationId, roles }
}

export function resend(pool: Pool, { applicationId, transactionId }: OutboxItem, actor = personOf(applicationId), wakeWebhooks = () => {}) {
  return resendWebhook({ pool: pool, wakeWebhooks }, { applicationId, transactionId, actor })
}

export async function historyOf(pool: Pool, { applicationId, transactionId }: OutboxItem) {
  const history = await listWebhookAttempts(pool, applicationId, transactionId)
  assert.ok(history)
  return history
}

/** Runs a loop until the resend of this transaction has an outcome. */
export async function deliver(pool: Pool, item: OutboxItem, options: Parameters<typeof startLoop>[1] = {}): Promise<void> {
  const loop = startLoop(pool, options)
  await waitUntil('the resend is sent', async () => (await historyOf(pool, item)).waitingResend === null)
  await loop.drain()
}

/** The next automatic attempt: how many were counted, and when it is due. */
export async function scheduleOf(pool: Pool, { applicationId, transactionId }: OutboxItem) {
  const { rows } = await pool.query('select attempts, next_at from webhook_deliveries where application_id = $1 and transaction_id = $2', [
    applicationId,
    transactionId,
  ])
  return rows[0]
}

export function sentTo(receiver: Receiver, { transactionId }: OutboxItem) {
  return receiver.received.filter((request) => request.headers['webhook-id'] === `msg_${transactionId}`)
}
