import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { deliveryFilterSchema } from '#lib/schemas/page-address.ts'
import { firstIdAfter } from '#server/database/compose-sql.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listWebhookAttempts, webhookHealth } from './history.ts'
import { listDeliveries } from './history-store.ts'
import { addDelivery } from './testing/resends.ts'
import { addDeliveries, closeEverything, startLoop, startReceiver } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
afterEach(() => closeEverything())
after(() => database.drop())

async function list(applicationId: string, filter: object = {}, limit = 25) {
  return listDeliveries(database.pool, { applicationId, filter: deliveryFilterSchema.parse(filter), zone: 'Africa/Douala', limit })
}

test('a delivery that failed and is due again has its next attempt, one whose attempt runs is in progress, an ended one neither', async () => {
  const given = await addDelivery(database.pool, 'https://a.example/hook', 'exhausted')
  const { applicationId } = given
  await addDeliveries(database.pool, applicationId, ['https://b.example/hook', 'https://c.example/hook'])
  await database.pool.query(
    `update webhook_deliveries set claimed_until = now() + interval '1 minute' where application_id = $1 and target like '%c.example%'`,
    [applicationId],
  )
  const rows = new Map((await list(applicationId)).map((row) => [row.url, row]))
  const of = (url: string) => [rows.get(url)?.nextAt instanceof Date, rows.get(url)?.isInProgress]
  assert.deepEqual(['https://a.example/hook', 'https://b.example/hook', 'https://c.example/hook'].map(of), [
    [false, false],
    [true, false],
    [true, true],
  ])
})

test('a receiver is in trouble once a delivery has been due for 30 s, and not before', async () => {
  const { applicationId } = await addDelivery(database.pool, 'https://a.example/hook', 'delivered')
  await addDeliveries(database.pool, applicationId, ['https://b.example/hook'])
  const isTroubled = async (age: string) => {
    await database.pool.query(
      `update webhook_deliveries set created_at = now() - $2::interval where application_id = $1 and state = 'due'`,
      [applicationId, age],
    )
    return (await webhookHealth(database.pool, applicationId)).targets.some((target) => target.isTroubled)
  }
  assert.deepEqual([await isTroubled('29 seconds'), await isTroubled('31 seconds')], [false, true])
})

test('filtered by state, cause and day, without those of another application', async () => {
  const given = await addDelivery(database.pool, 'https://user:pass@a.example/hook', 'exhausted')
  const { applicationId } = given
  await addDelivery(database.pool, 'https://a.example/hook', 'exhausted')
  const [due] = await addDeliveries(database.pool, applicationId, ['https://b.example/hook'])
  assert.equal((await list(applicationId)).length, 2)
  const [exhausted] = await list(applicationId, { state: 'exhausted' })
  assert.deepEqual(
    [exhausted?.transactionId, exhausted?.url, exhausted?.outcome, exhausted?.httpStatus],
    [given.transactionId, 'https://a.example/hook', 'bad_status', 500],
  )
  assert.deepEqual(
    (await list(applicationId, { state: 'due' })).map(({ transactionId }) => transactionId),
    [due?.transactionId],
  )
  assert.deepEqual(
    (await list(applicationId, { cause: 'bad_status' })).map(({ transactionId }) => transactionId),
    [given.transactionId],
  )
  assert.deepEqual(await list(applicationId, { cause: 'redirect' }), [])
  // Ids of transactions begin with their time, which the list relies on.
  const madeNow = `${firstIdAfter(new Date()).slice(0, 13)}-7000-8000-000000000001`
  for (const table of ['transactions', 'webhook_deliveries', 'webhook_attempts'])
    await database.pool.query(`update ${table} set transaction_id = $2 where transaction_id = $1`, [given.transactionId, madeNow])
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Douala' }).format(new Date())
  await database.pool.query(`update webhook_deliveries set created_at = '2020-01-01T00:30:00Z' where transaction_id = $1`, [
    due?.transactionId,
  ])
  assert.deepEqual(
    (await list(applicationId, { from: today, to: today })).map(({ transactionId }) => transactionId),
    [madeNow],
  )
})

test('page after page without a gap', async () => {
  const applicationId = randomUUID()
  await addDeliveries(
    database.pool,
    applicationId,
    Array.from({ length: 7 }, () => 'https://a.example/hook'),
  )
  const seen: string[] = []
  let before: string | null = null
  for (let page = 0; page < 4; page++) {
    const rows = await list(applicationId, before ? { before } : {}, 2)
    const shown = rows.slice(0, 2)
    seen.push(...shown.map(({ transactionId }) => transactionId))
    before = shown.at(-1)?.transactionId ?? null
    assert.equal(rows.length > 2, page < 3)
  }
  assert.equal(new Set(seen).size, 7)
})

test('the time of the first byte and the beginning of the answer, as text without control characters', async () => {
  const receiver = await startReceiver((response) => {
    response.writeHead(503)
    response.end(Buffer.concat([Buffer.from('over\u0000loaded\u001b[31m\n'), Buffer.from([0xff]), Buffer.alloc(2_000, 'x')]))
  })
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  startLoop(database.pool)
  const attempt = await waitUntil(
    'an attempt',
    async () => (await listWebhookAttempts(database.pool, applicationId, item.transactionId))?.attempts[0],
  )
  assert.equal(attempt.outcome, 'bad_status')
  assert.ok(attempt.firstByteMs !== null && attempt.firstByteMs <= attempt.durationMs)
  assert.match(attempt.responseStart ?? '', /^over\uFFFDloaded\uFFFD\[31m\n\uFFFDx+$/)
  assert.ok((attempt.responseStart ?? '').length <= 512)
})

test('recorded as bad_status within a second although the body never ends', async () => {
  const receiver = await startReceiver((response) => {
    response.writeHead(500)
    response.write('partly')
  })
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, [receiver.url])
  assert.ok(item)
  startLoop(database.pool, { gapsMs: [60_000, 60_000, 60_000] })
  const attempt = await waitUntil(
    'an attempt',
    async () => (await listWebhookAttempts(database.pool, applicationId, item.transactionId))?.attempts[0],
  )
  assert.deepEqual([attempt.outcome, attempt.httpStatus, attempt.responseStart], ['bad_status', 500, 'partly'])
  assert.ok(attempt.durationMs < 1_000, `${attempt.durationMs}`)
})
