import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { AttemptRecorder } from './attempts.ts'
import type { AttemptRecord } from './delivery-store.ts'
import { listWebhookAttempts } from './history.ts'
import type { AttemptOutcome } from './send/send-webhook.ts'
import { A_CLAIM, addDeliveries } from './testing.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

function recordOf(applicationId: string, transactionId: string, changes: Partial<AttemptRecord>): AttemptRecord {
  return {
    applicationId,
    transactionId,
    resendNumber: null,
    number: 1,
    startedAt: new Date(),
    durationMs: 12,
    outcome: 'bad_status',
    httpStatus: 500,
    detail: null,
    waitedMs: 0,
    spreadMs: 0,
    firstByteMs: null,
    responseStart: null,
    ...changes,
  }
}

function makeRecorder(onRecorded?: (outcome: AttemptOutcome, count: number) => void, recordGapMs = 0): AttemptRecorder {
  const logger = { info() {}, warn() {}, error() {} }
  return new AttemptRecorder({
    pool: database.pool,
    gapsMs: [30_000, 120_000, 600_000],
    logger,
    recordGapMs,
    ...(onRecorded && { onRecorded }),
  })
}

/** A delivery whose first attempt outlasted its lease, and whose second one is in progress in another process. */
async function inItsSecondAttempt(): Promise<{ applicationId: string; transactionId: string; read(): Promise<Record<string, unknown>> }> {
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, ['https://partner.example/hook'])
  assert.ok(item)
  const { transactionId } = item
  await database.pool.query(
    `update webhook_deliveries set attempts = 2, next_at = now(), claimed_until = now() + interval '30 seconds' where application_id = $1`,
    [applicationId],
  )
  const read = async () => {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      'select state, attempts, next_at, claimed_until from webhook_deliveries where application_id = $1',
      [applicationId],
    )
    return rows[0] ?? assert.fail('The delivery does not exist')
  }
  return { applicationId, transactionId, read }
}

test('the lease of the second attempt is kept when the failure of the first one is recorded late', async () => {
  const { applicationId, transactionId, read } = await inItsSecondAttempt()
  const before = await read()
  const recorder = makeRecorder()
  recorder.add(recordOf(applicationId, transactionId, { number: 1 }))
  await recorder.flush(5_000)
  assert.deepEqual(await read(), before)
  const history = await listWebhookAttempts(database.pool, applicationId, transactionId)
  assert.deepEqual(
    history?.attempts.map(({ number, outcome }) => [number, outcome]),
    [[1, 'bad_status']],
  )
})

test('the lease and the number of the second attempt are kept when the claim of the first one is returned late', async () => {
  const { applicationId, transactionId, read } = await inItsSecondAttempt()
  const before = await read()
  const recorder = makeRecorder()
  const claim = { applicationId, transactionId, resendNumber: null, dueAt: new Date() }
  recorder.returnClaims([{ ...A_CLAIM, ...claim, number: 1 }])
  await recorder.flush(5_000)
  assert.deepEqual(await read(), before)
  recorder.returnClaims([{ ...A_CLAIM, ...claim, number: 2 }])
  await recorder.flush(5_000)
  assert.deepEqual(await read(), { ...before, attempts: 1, claimed_until: null })
})

test('the other outcomes of a batch are recorded if PostgreSQL refuses one', async () => {
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(5).fill('https://partner.example/hook'))
  await database.pool.query('update webhook_deliveries set attempts = 1 where application_id = $1', [applicationId])
  const counted = new Map<AttemptOutcome, number>()
  const recorder = makeRecorder((outcome, count) => counted.set(outcome, (counted.get(outcome) ?? 0) + count))
  const changes: Partial<AttemptRecord>[] = [
    { detail: 'NUL: \0' },
    { detail: 'half a pair: \ud83d' },
    { outcome: 'delivered', httpStatus: 200 },
    { httpStatus: 10 ** 12 },
    {},
  ]
  for (const [place, item] of items.entries()) recorder.add(recordOf(applicationId, item.transactionId, changes[place] ?? {}))
  await recorder.flush(5_000)
  const histories = await Promise.all(items.map((item) => listWebhookAttempts(database.pool, applicationId, item.transactionId)))
  assert.deepEqual(
    histories.map((history) => [history?.state, ...(history?.attempts ?? []).map(({ outcome, detail }) => `${outcome} ${detail}`)]),
    [['due', 'bad_status null'], ['due', 'bad_status null'], ['delivered', 'delivered null'], ['due'], ['due', 'bad_status null']],
  )
  assert.deepEqual(Object.fromEntries(counted), { bad_status: 3, delivered: 1 })
})

test('an outcome with its detail is recorded once the database works again, and none is given up meanwhile', async () => {
  const applicationId = randomUUID()
  const [item] = await addDeliveries(database.pool, applicationId, ['https://partner.example/hook'])
  assert.ok(item)
  await database.pool.query('update webhook_deliveries set attempts = 1 where application_id = $1', [applicationId])
  let failures = 0
  const logger = { info() {}, warn() {}, error: () => void failures++ }
  const recorder = new AttemptRecorder({ pool: database.pool, gapsMs: [30_000], logger, recordGapMs: 0 })
  await database.pool.query('alter table webhook_attempts rename to webhook_attempts_away')
  try {
    recorder.add(recordOf(applicationId, item.transactionId, { detail: 'HTTP 500' }))
    await waitUntil('a statement has failed', () => failures > 0)
  } finally {
    await database.pool.query('alter table webhook_attempts_away rename to webhook_attempts')
  }
  await recorder.flush(10_000)
  const history = await listWebhookAttempts(database.pool, applicationId, item.transactionId)
  assert.deepEqual(
    history?.attempts.map(({ outcome, detail }) => [outcome, detail]),
    [['bad_status', 'HTTP 500']],
  )
})

test('one statement for the outcomes that come within the gap after the last one, which a flush ends', async () => {
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(3).fill('https://partner.example/hook'))
  await database.pool.query('update webhook_deliveries set attempts = 1 where application_id = $1', [applicationId])
  const counts: number[] = []
  const recorder = makeRecorder((_, count) => counts.push(count), 600_000)
  const add = (place: number) => recorder.add(recordOf(applicationId, items[place]?.transactionId ?? '', {}))
  add(0)
  await waitUntil('the first one is recorded', () => counts.length === 1)
  add(1)
  await nextTurn()
  add(2)
  await recorder.flush(5_000)
  assert.deepEqual(counts, [1, 2])
})
