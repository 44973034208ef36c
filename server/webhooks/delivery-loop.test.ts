import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listWebhookAttempts, readDelivery, webhookHealth } from './history.ts'
import { verifyWebhook } from './send/sign-webhook.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver, untilFinished } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await closeEverything()
  await database.drop()
})

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

test('one signed request with exactly the eight fields for a result', async () => {
  const receiver = await startReceiver((response) => response.end('ok'))
  const applicationId = randomUUID()
  const loop = startLoop(database.pool, { secretsFor: () => [{ secret: SECRET, expiresAt: null }] })
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url], { amountMinor: 10_050n })
  assert.ok(item)
  loop.wake()
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(receiver.received.length, 1)
  const [request] = receiver.received
  assert.ok(request)
  const { timestamp, ...body } = JSON.parse(request.body)
  assert.deepEqual(body, {
    externalId: item.externalId,
    transactionId: item.transactionId,
    status: 'SUCCESS',
    amount: 100.5,
    phoneNumber: '237670000001',
    transferMethod: 'MOMOCM',
    message: 'Transaction réussie',
  })
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(request.headers['content-type'], 'application/json')
  assert.equal(request.headers['webhook-id'], `msg_${item.transactionId}`)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  assert.equal(verifyWebhook(headers, request.body, SECRET, new Date()), true)
  const history = await listWebhookAttempts(database.pool, applicationId, item.transactionId)
  assert.equal(history?.state, 'delivered')
  assert.deepEqual(
    history?.attempts.map(({ number, outcome, httpStatus }) => [number, outcome, httpStatus]),
    [[1, 'delivered', 200]],
  )
})

test('exhausted after four attempts, each after the pause that follows the previous failure', async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  const applicationId = randomUUID()
  const loop = startLoop(database.pool, { gapsMs: [60, 120, 240] })
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  loop.wake()
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(receiver.received.length, 4)
  const times = receiver.received.map((request) => request.atMs)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  for (const [index, leastMs] of [60, 120, 240].entries())
    assert.ok((gaps[index] ?? 0) >= leastMs, `gap ${index + 1} was ${gaps[index]} ms`)
  assert.equal(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size, 1, 'one id for all attempts')
  assert.equal(new Set(receiver.received.map((request) => request.body)).size, 1, 'the same bytes every time')
  const history = await listWebhookAttempts(database.pool, applicationId, item.transactionId)
  assert.equal(history?.state, 'exhausted')
  assert.equal(history?.nextAt, null)
  assert.deepEqual(
    history?.attempts.map(({ outcome, httpStatus }) => [outcome, httpStatus]),
    Array(4).fill(['bad_status', 500]),
  )
  const health = await webhookHealth(database.pool, applicationId)
  assert.deepEqual([health.delivered, health.due, health.exhausted], [0, 0, 1])
  assert.deepEqual(
    health.targets.map((target) => [target.exhausted, target.lastDeliveredAt, target.isTroubled]),
    [[1, null, true]],
  )
})

test('pauses of 30 s, 2 min and 10 min from the recorded failure', async () => {
  const receiver = await startReceiver((response) => response.writeHead(503).end())
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  const loop = startLoop(database.pool, { gapsMs: undefined })
  for (const [number, pauseS] of [
    [1, 30],
    [2, 120],
    [3, 600],
  ] as const) {
    loop.wake()
    await waitUntil(
      'the attempts are recorded',
      async () => ((await listWebhookAttempts(database.pool, applicationId, item.transactionId))?.attempts.length ?? 0) === number,
    )
    const { rows } = await database.pool.query<{ pause_s: number }>(
      `select extract(epoch from d.next_at - (a.started_at + a.duration_ms * interval '1 ms'))::float8 as pause_s
         from webhook_deliveries d join all_webhook_attempts a using (application_id, transaction_id)
         where application_id = $1 and a.number = $2`,
      [applicationId, number],
    )
    const measured = rows[0]?.pause_s ?? 0
    assert.ok(measured > pauseS - 0.1 && measured < pauseS + 2, `pause ${number} was ${measured} s`)
    await database.pool.query('update webhook_deliveries set next_at = now() where application_id = $1', [applicationId])
  }
  await loop.drain()
  await receiver.close()
})

test('no further request after a 200 to the second attempt', async () => {
  let calls = 0
  const receiver = await startReceiver((response) => response.writeHead(++calls === 1 ? 204 : 200).end())
  const applicationId = randomUUID()
  const loop = startLoop(database.pool)
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  loop.wake()
  await untilFinished(database.pool, applicationId)
  await database.pool.query('update webhook_deliveries set next_at = now() where application_id = $1', [applicationId])
  // Another delivery goes the whole way round after that, so the loop has looked again.
  await addDeliveries(database.pool, applicationId, [receiver.url])
  loop.wake()
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  const mine = receiver.received.filter((request) => request.body.includes(item.transactionId))
  assert.equal(mine.length, 2)
})

test('undefined for the delivery of another application', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const loop = startLoop(database.pool)
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url.replace('//', '//kora:secret@')])
  assert.ok(item)
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(await listWebhookAttempts(database.pool, randomUUID(), item.transactionId), undefined)
  const { transactionId } = item
  const read = (of: string) => readDelivery(database.pool, { applicationId: of, transactionId, copiesStatus: false })
  assert.ok((await read(applicationId))?.request.body.includes(transactionId))
  assert.equal(await read(randomUUID()), undefined)
  const foreign = await webhookHealth(database.pool, randomUUID())
  assert.deepEqual([foreign.delivered, foreign.due, foreign.exhausted, foreign.targets], [0, 0, 0, []])
  const [health] = (await webhookHealth(database.pool, applicationId)).targets
  assert.equal(health?.target, receiver.url.replace('/hook', ''), 'without user name and password')
})
