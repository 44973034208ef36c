import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { verifyWebhook } from './send/sign-webhook.ts'
import { addDelivery, deliver, historyOf, resend, scheduleOf, sentTo } from './testing/resends.ts'
import { addDeliveries, closeEverything, type Receiver, startLoop, startReceiver } from './testing.ts'

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

test('exhausted remains after a resend that fails', async () => {
  const item = await addDelivery(database.pool, broken.url, 'exhausted')
  assert.ok((await resend(database.pool, item)).ok)
  await deliver(database.pool, item)
  const { state, attempts } = await historyOf(database.pool, item)
  assert.deepEqual([state, attempts.length, attempts.at(-1)?.outcome], ['exhausted', 5, 'bad_status'])
})

test('one request is sent for a resend that fails, and nothing is scheduled after it', async () => {
  const item = await addDelivery(database.pool, broken.url, 'exhausted')
  const before = await scheduleOf(database.pool, item)
  await resend(database.pool, item)
  await deliver(database.pool, item)
  assert.deepEqual(await scheduleOf(database.pool, item), before)
  assert.equal(sentTo(broken, item).length, 1)
})

test('delivered after a resend of an exhausted delivery that succeeds', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  await resend(database.pool, item)
  await deliver(database.pool, item)
  const { state, finishedAt } = await historyOf(database.pool, item)
  assert.equal(state, 'delivered')
  assert.ok(finishedAt && Date.now() - finishedAt.getTime() < 60_000, 'finished now')
})

test('delivered remains after a resend that fails', async () => {
  const item = await addDelivery(database.pool, broken.url, 'delivered')
  await resend(database.pool, item)
  await deliver(database.pool, item)
  assert.equal((await historyOf(database.pool, item)).state, 'delivered')
})

test('the next automatic attempt stays as it was scheduled after a resend of a waiting delivery fails', async () => {
  const item = await addDelivery(database.pool, broken.url, 'due')
  const before = await scheduleOf(database.pool, item)
  await resend(database.pool, item)
  await deliver(database.pool, item)
  assert.deepEqual(await scheduleOf(database.pool, item), before)
})

test('no automatic attempt follows a resend of a waiting delivery that succeeds', async () => {
  const item = await addDelivery(database.pool, well.url, 'due')
  await resend(database.pool, item)
  await deliver(database.pool, item)
  assert.deepEqual([(await historyOf(database.pool, item)).state, (await historyOf(database.pool, item)).nextAt], ['delivered', null])
})

test('the same body and a valid signature are sent by a resend as by the automatic attempt', async () => {
  const [item] = await addDeliveries(database.pool, randomUUID(), [well.url])
  assert.ok(item)
  const options = { secretsFor: () => [{ secret: SECRET, expiresAt: null }] }
  const loop = startLoop(database.pool, options)
  await waitUntil('the delivery is delivered', async () => (await historyOf(database.pool, item)).state === 'delivered')
  await loop.drain()
  await resend(database.pool, item)
  await deliver(database.pool, item, options)
  const [first, second] = sentTo(well, item)
  assert.ok(first && second)
  assert.equal(second.body, first.body)
  const headers = Object.fromEntries(Object.entries(second.headers).map(([name, value]) => [name, String(value)]))
  assert.equal(verifyWebhook(headers, second.body, SECRET, new Date()), true)
})

test('the receiver gets a resend that was requested while no loop was running', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  assert.ok((await resend(database.pool, item)).ok)
  await deliver(database.pool, item)
  assert.equal(sentTo(well, item).length, 1)
})

test('the receiver gets a resend whose process died during the attempt, once its lease has ended', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  await resend(database.pool, item)
  await database.pool.query('update webhook_resends set claims = 1, next_at = now() where transaction_id = $1', [item.transactionId])
  await deliver(database.pool, item)
  assert.equal((await historyOf(database.pool, item)).attempts.at(-1)?.outcome, 'delivered')
})

test('interrupted is the outcome of a resend whose process died four times, and it is not sent a fifth time', async () => {
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  await resend(database.pool, item)
  await database.pool.query('update webhook_resends set claims = 4, next_at = now() where transaction_id = $1', [item.transactionId])
  await deliver(database.pool, item)
  assert.equal((await historyOf(database.pool, item)).attempts.at(-1)?.outcome, 'interrupted')
  assert.equal(sentTo(well, item).length, 0)
})

test('four requests at once to a receiver that hangs, also with resends', async () => {
  const hung = await startReceiver(() => undefined)
  const loop = startLoop(database.pool)
  const items = await Promise.all(Array.from({ length: 12 }, () => addDelivery(database.pool, hung.url, 'exhausted')))
  for (const item of items) await resend(database.pool, item)
  loop.wake()
  await waitUntil('four attempts hang', () => hung.received.length === 4)
  const item = await addDelivery(database.pool, well.url, 'exhausted')
  await resend(database.pool, item, undefined, loop.wake)
  await waitUntil('the healthy receiver has its webhook', () => sentTo(well, item).length === 1)
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
  const late = await addDelivery(database.pool, receiver.url, 'exhausted')
  const early = await addDeliveries(database.pool, late.applicationId, Array<string>(40).fill(receiver.url))
  await database.pool.query(
    `update webhook_deliveries set next_at = now() - interval '1 minute' where application_id = $1 and state = 'due'`,
    [late.applicationId],
  )
  await resend(database.pool, late)
  const loop = startLoop(database.pool, { claimRowsMax: 1 })
  await waitUntil('the resend is received', () => order.length === early.length + 1)
  await loop.drain()
  const position = order.indexOf(`msg_${late.transactionId}`)
  // Requests that are in progress at once arrive in any order.
  assert.ok(position >= early.length - 8, `${position} of ${early.length} arrived before it`)
})
