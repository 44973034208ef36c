import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/permissions.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { listWebhookAttempts } from './list-webhook-attempts.ts'
import { resendWebhook } from './resend-webhook.ts'
import { verifyWebhook } from './sign-webhook.ts'
import { addDeliveries, closeEverything, type OutboxItem, type Receiver, startLoop, startReceiver, until } from './testing.ts'

let database: TestDatabase
let well: Receiver
let broken: Receiver
before(async () => {
  database = await createTestDatabase()
  well = await startReceiver((response) => response.end())
  broken = await startReceiver((response) => response.writeHead(500).end())
})
after(async () => {
  await closeEverything()
  await database.drop()
})

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A transaction whose delivery is in this state, four attempts after they all failed or one after it succeeded. */
async function addDelivery(url: string, state: 'due' | 'delivered' | 'exhausted'): Promise<OutboxItem> {
  const [item] = await addDeliveries(database.pool, randomUUID(), [url])
  assert.ok(item)
  const attempts = { due: 1, delivered: 1, exhausted: 4 }[state]
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome, http_status)
       select $1, $2, n, now() - interval '1 hour' + n * interval '1 minute', 1, $4, case $4 when 'delivered' then 200 else 500 end
         from generate_series(1, $3::integer) as n`,
    [item.applicationId, item.transactionId, attempts, state === 'delivered' ? 'delivered' : 'bad_status'],
  )
  await database.pool.query(
    `update webhook_deliveries set state = $3, attempts = $4, next_at = now() + interval '1 hour',
            finished_at = case when $3 <> 'due' then now() end
       where application_id = $1 and transaction_id = $2`,
    [item.applicationId, item.transactionId, state, attempts],
  )
  return item
}

function personOf(applicationId: string, roles: readonly Role[] = ['finance'], id: string = randomUUID()) {
  return { kind: 'person' as const, id, applicationId, roles }
}

function resend({ applicationId, transactionId }: OutboxItem, actor = personOf(applicationId), wakeWebhooks = () => {}) {
  return resendWebhook({ pool: database.pool, wakeWebhooks }, { applicationId, transactionId, actor })
}

async function historyOf({ applicationId, transactionId }: OutboxItem) {
  const history = await listWebhookAttempts(database.pool, applicationId, transactionId)
  assert.ok(history)
  return history
}

/** Runs a loop until the resend of this transaction has an outcome. */
async function deliver(item: OutboxItem, options: Parameters<typeof startLoop>[1] = {}): Promise<void> {
  const loop = startLoop(database.pool, options)
  await until(async () => (await historyOf(item)).waitingResend === null)
  await loop.drain()
}

/** The next automatic attempt: how many were counted, and when it is due. */
async function scheduleOf({ applicationId, transactionId }: OutboxItem) {
  const { rows } = await database.pool.query(
    'select attempts, next_at from webhook_deliveries where application_id = $1 and transaction_id = $2',
    [applicationId, transactionId],
  )
  return rows[0]
}

function sentTo(receiver: Receiver, { transactionId }: OutboxItem) {
  return receiver.received.filter((request) => request.headers['webhook-id'] === `msg_${transactionId}`)
}

test('exhausted remains after a resend that fails', async () => {
  const item = await addDelivery(broken.url, 'exhausted')
  assert.ok((await resend(item)).ok)
  await deliver(item)
  const { state, attempts } = await historyOf(item)
  assert.deepEqual([state, attempts.length, attempts.at(-1)?.outcome], ['exhausted', 5, 'bad_status'])
})

test('one request is sent for a resend that fails, and nothing is scheduled after it', async () => {
  const item = await addDelivery(broken.url, 'exhausted')
  const before = await scheduleOf(item)
  await resend(item)
  await deliver(item)
  assert.deepEqual(await scheduleOf(item), before)
  assert.equal(sentTo(broken, item).length, 1)
})

test('delivered after a resend of an exhausted delivery that succeeds', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  await resend(item)
  await deliver(item)
  const { state, finishedAt } = await historyOf(item)
  assert.equal(state, 'delivered')
  assert.ok(finishedAt && Date.now() - finishedAt.getTime() < 60_000, 'finished now')
})

test('delivered remains after a resend that fails', async () => {
  const item = await addDelivery(broken.url, 'delivered')
  await resend(item)
  await deliver(item)
  assert.equal((await historyOf(item)).state, 'delivered')
})

test('the next automatic attempt stays as it was scheduled after a resend of a waiting delivery fails', async () => {
  const item = await addDelivery(broken.url, 'due')
  const before = await scheduleOf(item)
  await resend(item)
  await deliver(item)
  assert.deepEqual(await scheduleOf(item), before)
})

test('no automatic attempt follows a resend of a waiting delivery that succeeds', async () => {
  const item = await addDelivery(well.url, 'due')
  await resend(item)
  await deliver(item)
  assert.deepEqual([(await historyOf(item)).state, (await historyOf(item)).nextAt], ['delivered', null])
})

test('the same body and a valid signature are sent by a resend as by the automatic attempt', async () => {
  const [item] = await addDeliveries(database.pool, randomUUID(), [well.url])
  assert.ok(item)
  const options = { secretsFor: () => [{ secret: SECRET, expiresAt: null }] }
  const loop = startLoop(database.pool, options)
  await until(async () => (await historyOf(item)).state === 'delivered')
  await loop.drain()
  await resend(item)
  await deliver(item, options)
  const [first, second] = sentTo(well, item)
  assert.ok(first && second)
  assert.equal(second.body, first.body)
  const headers = Object.fromEntries(Object.entries(second.headers).map(([name, value]) => [name, String(value)]))
  assert.equal(verifyWebhook(headers, second.body, SECRET, new Date()), true)
})

test('origin and requestedBy are in the history of each attempt', async () => {
  const item = await addDelivery(broken.url, 'exhausted')
  const personId = randomUUID()
  await database.pool.query("insert into people (person_id, email, name, password_hash) values ($1, $2, 'Awa Ndiaye', 'x')", [
    personId,
    `${personId}@partner.example`,
  ])
  await resend(item, personOf(item.applicationId, ['maker'], personId))
  const { waitingResend } = await historyOf(item)
  assert.equal(waitingResend?.requestedBy, 'Awa Ndiaye')
  await deliver(item)
  const { attempts } = await historyOf(item)
  assert.deepEqual(
    attempts.map(({ number, origin, requestedBy }) => [number, origin, requestedBy]),
    [...[1, 2, 3, 4].map((number) => [number, 'automatic', null]), [5, 'person', 'Awa Ndiaye']],
  )
})

test('one audit entry with the person and the state of the delivery is stored with a resend', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  const actor = personOf(item.applicationId)
  await resend(item, actor)
  const { rows } = await database.pool.query(
    'select actor_kind, actor_id, action, subject, details from audit_entries where application_id = $1',
    [item.applicationId],
  )
  assert.deepEqual(rows, [
    {
      actor_kind: 'person',
      actor_id: actor.id,
      action: 'webhook.resend_requested',
      subject: item.transactionId,
      details: { resendNumber: 1, state: 'exhausted' },
    },
  ])
})

test('no resend is stored if its audit entry cannot be written', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  await database.pool.query(
    `create trigger no_entries before insert on audit_entries for each row when (new.application_id = '${item.applicationId}') execute function refuse_change()`,
  )
  await assert.rejects(resend(item))
  assert.equal((await historyOf(item)).waitingResend, null)
})

test('the receiver gets a resend that was requested while no loop was running', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  assert.ok((await resend(item)).ok)
  await deliver(item)
  assert.equal(sentTo(well, item).length, 1)
})

test('the loop is woken by a request that was recorded', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  let wakes = 0
  await resend(item, undefined, () => wakes++)
  assert.equal(wakes, 1)
})

test('the receiver gets a resend whose process died during the attempt, once its lease has ended', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  await resend(item)
  await database.pool.query('update webhook_resends set claims = 1, next_at = now() where transaction_id = $1', [item.transactionId])
  await deliver(item)
  assert.equal((await historyOf(item)).attempts.at(-1)?.outcome, 'delivered')
})

test('interrupted is the outcome of a resend whose process died four times, and it is not sent a fifth time', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  await resend(item)
  await database.pool.query('update webhook_resends set claims = 4, next_at = now() where transaction_id = $1', [item.transactionId])
  await deliver(item)
  assert.equal((await historyOf(item)).attempts.at(-1)?.outcome, 'interrupted')
  assert.equal(sentTo(well, item).length, 0)
})

test('resend_waiting for the second of two requests while the first has no outcome', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  assert.ok((await resend(item)).ok)
  assert.deepEqual(await resend(item), { ok: false, error: 'resend_waiting' })
})

test('resend_waiting for all but one of ten requests at the same moment, and one audit entry', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  const results = await Promise.all(Array.from({ length: 10 }, () => resend(item)))
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(results.every((result) => result.ok || result.error === 'resend_waiting'))
  const { rows } = await database.pool.query('select 1 from audit_entries where application_id = $1', [item.applicationId])
  assert.equal(rows.length, 1)
})

test('attempt_in_progress while an automatic attempt is leased', async () => {
  const item = await addDelivery(well.url, 'due')
  await database.pool.query('delete from webhook_attempts where transaction_id = $1', [item.transactionId])
  assert.deepEqual(await resend(item), { ok: false, error: 'attempt_in_progress' })
})

test('not_permitted for a checker', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  assert.deepEqual(await resend(item, personOf(item.applicationId, ['checker'])), { ok: false, error: 'not_permitted' })
})

test('not_permitted for a person of another application', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  assert.deepEqual(await resend(item, personOf(randomUUID(), ['administrator'])), { ok: false, error: 'not_permitted' })
})

test('no_delivery for a transaction that is not final or not known', async () => {
  const item = { applicationId: randomUUID(), transactionId: randomUUID(), externalId: randomUUID() }
  assert.deepEqual(await resend(item), { ok: false, error: 'no_delivery' })
})

test('throttled after ten resends of one transaction, until the first of them is an hour old', async () => {
  const item = await addDelivery(well.url, 'exhausted')
  await database.pool.query(
    `insert into webhook_resends (application_id, transaction_id, number, target, requested_by, requested_at, next_at, started_at, duration_ms, outcome)
       select $1, $2, n, 'http://x', $1, now() - interval '50 minutes' + n * interval '1 second', now(), now(), 1, 'bad_status'
         from generate_series(1, 10) as n`,
    [item.applicationId, item.transactionId],
  )
  const refused = await resend(item)
  assert.ok(!refused.ok && typeof refused.error === 'object')
  const { code, retryAfterMs } = refused.error
  assert.ok(code === 'throttled' && retryAfterMs > 9.9 * 60_000 && retryAfterMs <= 10.1 * 60_000, `${retryAfterMs} ms`)
  await database.pool.query(
    "update webhook_resends set requested_at = now() - interval '61 minutes' where transaction_id = $1 and number = 1",
    [item.transactionId],
  )
  assert.ok((await resend(item)).ok)
})

test('four requests at once to a receiver that hangs, also with resends', async () => {
  const hung = await startReceiver(() => undefined)
  const loop = startLoop(database.pool)
  const items = await Promise.all(Array.from({ length: 12 }, () => addDelivery(hung.url, 'exhausted')))
  for (const item of items) await resend(item)
  loop.wake()
  await until(() => hung.received.length === 4)
  const item = await addDelivery(well.url, 'exhausted')
  await resend(item, undefined, loop.wake)
  await until(() => sentTo(well, item).length === 1)
  assert.equal(hung.received.length, 4)
  await hung.close()
  await loop.drain()
})

test('older deliveries of the same receiver are sent before a resend', async () => {
  const order: string[] = []
  const receiver = await startReceiver((response, request) => {
    order.push(String(request.headers['webhook-id']))
    response.end()
  })
  const late = await addDelivery(receiver.url, 'exhausted')
  const early = await addDeliveries(database.pool, late.applicationId, Array<string>(40).fill(receiver.url))
  await database.pool.query(
    `update webhook_deliveries set next_at = now() - interval '1 minute' where application_id = $1 and state = 'due'`,
    [late.applicationId],
  )
  await resend(late)
  const loop = startLoop(database.pool, { claimRowsMax: 1 })
  await until(() => order.length === early.length + 1)
  await loop.drain()
  const position = order.indexOf(`msg_${late.transactionId}`)
  // Requests that are under way at once arrive in any order.
  assert.ok(position >= early.length - 8, `${position} of ${early.length} arrived before it`)
})
