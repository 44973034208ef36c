import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createDirectory } from '#server/applications/directory.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake, type Intake } from './intake.ts'
import { startTransactions } from './start-transactions.ts'
import { UnansweredStarts } from './unanswered-starts.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('webhooks kept back of a single request until its commit is acknowledged, and of each transaction of an array until the last one is', async () => {
  const { pool } = database
  const { applicationId } = await createTestPartner(pool)
  const directory = await createDirectory({ pool })
  const application = directory.find(applicationId) ?? assert.fail('it was created')
  await directory.close()
  const unansweredStarts = new UnansweredStarts()
  const intake = createIntake({ pool, unansweredStarts })
  const ids: string[] = []
  const submit: Intake['submit'] = (item) => {
    ids.push(item.transactionId)
    return intake.submit(item)
  }
  const deps = { pool, connectors: connectedTo(), unansweredStarts, intake: { submit } }
  const start = (count: number) =>
    startTransactions(deps, {
      application,
      source: 'api',
      actor: { kind: 'api', id: randomUUID() },
      type: 'COLLECT',
      requests: Array.from({ length: count }, () => ({
        transferMethod: 'MOMOCM',
        customerName: 'Clarisse Mbarga',
        externalId: randomUUID(),
        phoneNumber: '237677209341',
        amount: 500_000n,
        webhookUrl: 'https://partner.example/hooks',
        countryName: 'CAMEROON',
      })),
    })
  const areKeptBack = () => ids.splice(0).map((id) => unansweredStarts.untilAnswered(id) !== undefined)
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select 1 from application_counters where application_id = $1 for update', [applicationId])
  const single = start(1)
  const array = start(2)
  await waitUntil('all are being taken in', () => ids.length === 3)
  const started = [...ids]
  assert.deepEqual(areKeptBack(), [true, true, true])
  await holder.query('commit')
  holder.release()
  for (const { ok } of await Promise.all([single, array])) assert.ok(ok)
  for (const id of started) {
    await unansweredStarts.untilAnswered(id)
    assert.equal(unansweredStarts.untilAnswered(id), undefined)
  }
})

test('webhooks kept back until half a second after a slow end, and not longer than until a quick one', async () => {
  let nowMs = 0
  const unansweredStarts = new UnansweredStarts(() => nowMs)
  await unansweredStarts.during(['quick'], async () => undefined)
  assert.equal(unansweredStarts.untilAnswered('quick'), undefined)
  const stored = Promise.withResolvers<void>()
  const slow = unansweredStarts.during(['slow'], () => stored.promise)
  nowMs = 300
  stored.resolve()
  await slow
  const endedMs = performance.now()
  await unansweredStarts.untilAnswered('slow')
  assert.ok(performance.now() - endedMs >= 490)
})

test('webhooks kept back until the answer was read, though the transaction was taken in slowly half a second before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const unansweredStarts = new UnansweredStarts(() => nowMs)
  await unansweredStarts.during(['refund'], async () => {
    nowMs = 300
  })
  const read = Promise.withResolvers<void>()
  const reading = unansweredStarts.during(['refund'], () => read.promise)
  t.mock.timers.tick(500)
  let isTold = false
  const told = unansweredStarts.untilAnswered('refund')?.then(() => {
    isTold = true
  })
  await Promise.resolve()
  assert.equal(isTold, false)
  nowMs = 900
  read.resolve()
  await reading
  t.mock.timers.tick(499)
  await Promise.resolve()
  assert.equal(isTold, false)
  t.mock.timers.tick(1)
  await told
  assert.equal(unansweredStarts.untilAnswered('refund'), undefined)
})
