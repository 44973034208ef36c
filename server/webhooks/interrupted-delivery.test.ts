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

/** How often each number was attempted, as receivers saw it. */
function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** Puts a delivery into the state in which a killed process leaves it: attempt started, nothing recorded, lease over. */
async function crashDuring(applicationId: string, transactionId: string, number: number): Promise<void> {
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome)
       select $1, $2, n, now() - interval '1 hour' + n * interval '1 minute', 1, 'bad_status' from generate_series(1, $3::integer - 1) as n`,
    [applicationId, transactionId, number],
  )
  await database.pool.query(
    'update webhook_deliveries set attempts = $3, next_at = now(), claimed_until = now() where application_id = $1 and transaction_id = $2',
    [applicationId, transactionId, number],
  )
}

test('each attempt is sent once by two loops on one database', async () => {
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
    'select count(*) as attempts from all_webhook_attempts where application_id = $1',
    [applicationId],
  )
  assert.equal(rows[0]?.attempts, BigInt(items.length * 4))
})

test('interrupted is recorded for an attempt whose process died, and the next one follows', async () => {
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

test('exhausted, without a fifth attempt, after a crash during the fourth', async () => {
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

test('two minutes before the third attempt, also after a crash during the second', async () => {
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

test('drain records what was in progress and returns what was not started', async () => {
  const open: (() => void)[] = []
  const receiver = await startReceiver((response) => open.push(() => response.end()))
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(20).fill(receiver.url))
  const loop = startLoop(database.pool)
  await waitUntil('a connection is open', () => open.length > 0)
  const drained = loop.drain()
  const answering = setInterval(() => {
    for (const answer of open.splice(0)) answer()
  }, 5)
  await drained
  clearInterval(answering)
  await receiver.close()
  const { rows } = await database.pool.query<{ state: string; attempts: number; recorded: bigint }>(
    `select d.state, d.attempts, (select count(*) from all_webhook_attempts a where a.application_id = d.application_id and a.transaction_id = d.transaction_id) as recorded
       from webhook_deliveries d where d.application_id = $1`,
    [applicationId],
  )
  assert.equal(rows.length, items.length)
  for (const row of rows) assert.deepEqual([row.attempts, row.recorded], row.state === 'delivered' ? [1, 1n] : [0, 0n])
  assert.equal(rows.filter((row) => row.state === 'delivered').length, receiver.received.length)
  await database.pool.query(`delete from webhook_deliveries where application_id = $1 and state = 'due'`, [applicationId])
})
