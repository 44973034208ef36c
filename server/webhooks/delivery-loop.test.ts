import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listWebhookAttempts } from './list-webhook-attempts.ts'
import { verifyWebhook } from './sign-webhook.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver, untilFinished } from './testing.ts'
import { webhookHealth } from './webhook-health.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await closeEverything()
  await database.drop()
})

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

test('a result reaches its receiver once, signed, with exactly the eight fields', async () => {
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

test('four attempts at most, each after its pause from the failure before, then the delivery is exhausted', async () => {
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

test('the contractual pauses are 30 s, 2 min and 10 min from the recorded failure', async () => {
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
         from webhook_deliveries d join webhook_attempts a using (application_id, transaction_id)
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

test('nothing is sent after a 200, also when it came on the second attempt', async () => {
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

/** How often each number was attempted, as receivers saw it. */
function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

test('two loops on one database never send the same attempt twice', async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(150).fill(receiver.url))
  const loops = [startLoop(database.pool), startLoop(database.pool)]
  await untilFinished(database.pool, applicationId)
  await Promise.all(loops.map((loop) => loop.drain()))
  await receiver.close()
  const counts = countBy(receiver.received.map((request) => String(request.headers['webhook-id'])))
  assert.equal(counts.size, items.length)
  assert.deepEqual([...new Set(counts.values())], [4])
  const { rows } = await database.pool.query<{ attempts: bigint }>(
    'select count(*) as attempts from webhook_attempts where application_id = $1',
    [applicationId],
  )
  assert.equal(rows[0]?.attempts, BigInt(items.length * 4))
})

/** Puts a delivery into the state in which a killed process leaves it: attempt begun, nothing recorded, lease over. */
async function crashDuring(applicationId: string, transactionId: string, number: number): Promise<void> {
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome)
       select $1, $2, n, now(), 1, 'bad_status' from generate_series(1, $3::integer - 1) as n`,
    [applicationId, transactionId, number],
  )
  await database.pool.query(
    'update webhook_deliveries set attempts = $3, next_at = now() where application_id = $1 and transaction_id = $2',
    [applicationId, transactionId, number],
  )
}

test('an attempt that a crash cut off is recorded as interrupted and the next one follows', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  await crashDuring(applicationId, item.transactionId, 1)
  const loop = startLoop(database.pool)
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  const history = await listWebhookAttempts(database.pool, applicationId, item.transactionId)
  assert.deepEqual(
    history?.attempts.map(({ number, outcome }) => [number, outcome]),
    [
      [1, 'interrupted'],
      [2, 'delivered'],
    ],
  )
  assert.equal(receiver.received.length, 1)
})

test('a crash during the fourth attempt ends the delivery: there is no fifth', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  await crashDuring(applicationId, item.transactionId, 4)
  const loop = startLoop(database.pool)
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(receiver.received.length, 0)
  const history = await listWebhookAttempts(database.pool, applicationId, item.transactionId)
  assert.deepEqual([history?.state, history?.attempts.at(-1)?.outcome], ['exhausted', 'interrupted'])
})

test('after a crash during the second attempt the third still waits its two minutes', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  await crashDuring(applicationId, item.transactionId, 2)
  const loop = startLoop(database.pool, { gapsMs: undefined })
  await waitUntil(
    'the second attempt is recorded',
    async () => (await listWebhookAttempts(database.pool, applicationId, item.transactionId))?.attempts.length === 2,
  )
  await loop.drain()
  await receiver.close()
  assert.equal(receiver.received.length, 0)
  const history = await listWebhookAttempts(database.pool, applicationId, item.transactionId)
  // The lease took 30 of the 120 seconds.
  const waitS = ((history?.nextAt?.getTime() ?? 0) - Date.now()) / 1000
  assert.ok(waitS > 80 && waitS <= 90, `${waitS} s`)
})

test('a loop that is drained records what was under way and gives back what was not begun', async () => {
  const open: (() => void)[] = []
  const receiver = await startReceiver((response) => open.push(() => response.end()))
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(20).fill(receiver.url))
  const loop = startLoop(database.pool)
  await waitUntil('the request is open', () => open.length > 0)
  const drained = loop.drain()
  const answering = setInterval(() => {
    for (const answer of open.splice(0)) answer()
  }, 5)
  await drained
  clearInterval(answering)
  await receiver.close()
  const { rows } = await database.pool.query<{ state: string; attempts: number; recorded: bigint }>(
    `select d.state, d.attempts, (select count(*) from webhook_attempts a where a.application_id = d.application_id and a.transaction_id = d.transaction_id) as recorded
       from webhook_deliveries d where d.application_id = $1`,
    [applicationId],
  )
  assert.equal(rows.length, items.length)
  for (const row of rows) assert.deepEqual([row.attempts, row.recorded], row.state === 'delivered' ? [1, 1n] : [0, 0n])
  assert.equal(rows.filter((row) => row.state === 'delivered').length, receiver.received.length)
  await database.pool.query(`delete from webhook_deliveries where application_id = $1 and state = 'due'`, [applicationId])
})

test('receivers that hang delay nobody else', async () => {
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
  await waitUntil('a hanging receiver has a request', () => hung.some((receiver) => receiver.received.length > 0))
  const startedMs = performance.now()
  const healthy = await addDeliveries(database.pool, applicationId, Array<string>(40).fill(well.url))
  loop.wake()
  await waitUntil('the healthy receiver has all its webhooks', () => well.received.length === 1 + healthy.length)
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < 2_500, `the healthy receiver waited ${tookMs} ms, less than the deadline that the others use up`)
  const underWay = hung.map((receiver) => receiver.received.length)
  assert.ok(Math.max(...underWay) <= 4, 'no receiver holds more than its slots')
  await loop.drain()
  await Promise.all([...hung, well].map((receiver) => receiver.close()))
  await database.pool.query('delete from webhook_deliveries where application_id = $1', [applicationId])
})

test('more receivers than one claim looks at: each gets its turn', async () => {
  const receiver = await startReceiver((response) => response.end(), '0.0.0.0')
  const applicationId = randomUUID()
  const urls = Array.from({ length: 120 }, (_, index) => `http://127.0.10.${index + 1}:${receiver.port}/hook`)
  const items = await addDeliveries(database.pool, applicationId, urls)
  // Older than what is looked at as recent: only the walk finds them.
  await database.pool.query(`update webhook_deliveries set next_at = now() - interval '1 hour' where application_id = $1`, [applicationId])
  const loop = startLoop(database.pool, { claimTargetsMax: 10, claimRowsMax: 7 })
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(new Set(receiver.received.map((request) => request.headers['webhook-id'])).size, items.length)
  assert.equal(receiver.received.length, items.length)
})

test('an address that cannot be called is recorded four times and hurts nobody', async () => {
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

test('another application sees nothing of a delivery', async () => {
  const receiver = await startReceiver((response) => response.end())
  const applicationId = randomUUID()
  const loop = startLoop(database.pool)
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url.replace('//', '//kora:secret@')])
  assert.ok(item)
  await untilFinished(database.pool, applicationId)
  await loop.drain()
  await receiver.close()
  assert.equal(await listWebhookAttempts(database.pool, randomUUID(), item.transactionId), undefined)
  const foreign = await webhookHealth(database.pool, randomUUID())
  assert.deepEqual([foreign.delivered, foreign.due, foreign.exhausted, foreign.targets], [0, 0, 0, []])
  const [health] = (await webhookHealth(database.pool, applicationId)).targets
  assert.equal(health?.target, receiver.url.replace('/hook', ''), 'without user name and password')
})
