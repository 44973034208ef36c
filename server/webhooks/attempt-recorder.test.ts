import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { AttemptRecorder } from './attempt-recorder.ts'
import type { AttemptRecord } from './delivery-store.ts'
import { listWebhookAttempts } from './list-webhook-attempts.ts'
import type { AttemptOutcome } from './send-webhook.ts'
import { addDeliveries } from './testing.ts'

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

test('the other outcomes of a batch are recorded if PostgreSQL refuses one', async () => {
  const applicationId = randomUUID()
  const items = await addDeliveries(database.pool, applicationId, Array<string>(5).fill('https://partner.example/hook'))
  await database.pool.query('update webhook_deliveries set attempts = 1 where application_id = $1', [applicationId])
  const counted = new Map<AttemptOutcome, number>()
  const recorder = new AttemptRecorder({
    pool: database.pool,
    gapsMs: [30_000, 120_000, 600_000],
    logger: { info() {}, warn() {}, error() {} },
    onRecorded: (outcome, count) => counted.set(outcome, (counted.get(outcome) ?? 0) + count),
  })
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
