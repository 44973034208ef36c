import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listWebhookAttempts } from './history.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver, untilFinished } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await closeEverything()
  await database.drop()
})

test('no delay of a healthy receiver while others hang', async () => {
  const hung = await Promise.all(Array.from({ length: 30 }, (_, index) => startReceiver(() => undefined, `127.0.9.${index + 1}`)))
  const well = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const loop = startLoop(database.pool, { claimedMax: 64 })
  await addDeliveries(database.pool, applicationId, [well.url])
  loop.wake()
  await untilFinished(database.pool, applicationId)
  await addDeliveries(
    database.pool,
    applicationId,
    hung.flatMap((receiver) => Array<string>(20).fill(receiver.url)),
  )
  loop.wake()
  await waitUntil('the receivers that hang have attempts', () => hung.some((receiver) => receiver.received.length > 0))
  const startedMs = performance.now()
  const healthy = await addDeliveries(database.pool, applicationId, Array<string>(40).fill(well.url))
  loop.wake()
  await waitUntil('the healthy receiver has everything', () => well.received.length === 1 + healthy.length)
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < 2_500, `the healthy receiver waited ${tookMs} ms, less than the deadline that the others use up`)
  const inProgress = hung.map((receiver) => receiver.received.length)
  assert.ok(Math.max(...inProgress) <= 4, 'no receiver holds more than its slots')
  await loop.drain()
  await Promise.all([...hung, well].map((receiver) => receiver.close()))
  await database.pool.query('delete from webhook_deliveries where application_id = $1', [applicationId])
})

test('every receiver is served if there are more than one claim reads', async () => {
  const receiver = await startReceiver((response) => response.end(), '0.0.0.0')
  const applicationId = randomUUID()
  const urls = Array.from({ length: 120 }, (_, index) => `http://127.0.10.${index + 1}:${receiver.port}/hook`)
  const items = await addDeliveries(database.pool, applicationId, urls)
  // Older than what is looked at as recent: only the walk finds them.
  await database.pool.query(`update webhook_deliveries set next_at = now() - interval '1 hour' where application_id = $1`, [applicationId])
  const loop = startLoop(database.pool, { walkReceiversMax: 10, claimRowsMax: 7 })
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size, items.length)
  assert.equal(receiver.received.length, items.length)
})

test('exhausted for an address that cannot be called, and the others are delivered', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, ['http://[broken', 'http://10.0.0.1/', receiver.url])
  const loop = startLoop(database.pool)
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  const histories = await Promise.all(items.map((item) => listWebhookAttempts(database.pool, applicationId, item.transactionId)))
  assert.deepEqual(
    histories.map((history) => [history?.state, ...new Set(history?.attempts.map(({ outcome }) => outcome))]),
    [
      ['exhausted', 'invalid_url'],
      ['exhausted', 'refused_target'],
      ['delivered', 'delivered'],
    ],
  )
})
