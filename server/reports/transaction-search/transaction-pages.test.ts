import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { timelineOf } from '#lib/payments/transactions/transaction-timeline.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTransactionList } from './search-transactions.ts'

let database: TestDatabase
let applicationId: string
let makerId: string
let checkerId: string
const EVERYTHING = transactionFilterSchema.parse({})

before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  makerId = await makePerson(database.pool, applicationId, ['maker'])
  checkerId = await makePerson(database.pool, applicationId, ['checker'])
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
})
after(() => database.drop())

test("a row's note is why it failed, since when it is unconfirmed, or how many approvals it has", async () => {
  const failed = anIntakeItem(applicationId, { type: 'COLLECT' })
  const unconfirmed = anIntakeItem(applicationId, { type: 'COLLECT' })
  const waiting = anIntakeItem(applicationId, {
    source: 'person',
    makerId,
    actor: { kind: 'person', id: makerId },
    bands: [aBand({ steps: [1, 1] })],
  })
  for (const item of [failed, unconfirmed, waiting]) await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...failed, event: 'failed', message: 'Compte non inscrit', actor: SYSTEM_ACTOR }])
  await database.pool.query(
    "update operator_work set state = 'unconfirmed', unconfirmed_since = '2026-11-20T10:23:00Z' where application_id = $1 and transaction_id = $2",
    [applicationId, unconfirmed.transactionId],
  )
  await decide(waiting.transactionId)
  const list = await readTransactionList(database.pool, inUtc(applicationId), EVERYTHING)
  const byId = new Map(list.rows.map((row) => [row.transactionId, row]))
  assert.deepEqual(byId.get(failed.transactionId)?.note, { kind: 'message', text: 'Compte non inscrit' })
  assert.deepEqual(byId.get(unconfirmed.transactionId)?.note, { kind: 'unconfirmed', since: '2026-11-20T10:23:00.000Z' })
  assert.deepEqual(byId.get(waiting.transactionId)?.note, { kind: 'approvals', done: 1, needed: 2 })
  assert.equal(byId.get(waiting.transactionId)?.makerName, 'Test person')
  assert.equal(byId.get(failed.transactionId)?.makerName, null)
  assert.equal(list.total, list.rows.length)
  assert.doesNotThrow(() => JSON.stringify(list))
})

test('a detail holds every event, decision, call, webhook and ledger line; its timeline is in order of time', async () => {
  const item = anIntakeItem(applicationId, { source: 'person', makerId, actor: { kind: 'person', id: makerId }, bands: [aBand()] })
  await takeIn(database.pool, [item])
  await decide(item.transactionId)
  await transition(database.pool, [{ ...item, event: 'approved', actor: { kind: 'person', id: checkerId }, checkerId }])
  await database.pool.query(
    `insert into operator_attempts (application_id, transaction_id, number, kind, started_at, finished_at, outcome, http_status, answer)
     values ($1, $2, 1, 'submit', clock_timestamp(), clock_timestamp() + interval '40 milliseconds', 'accepted', 202, '{"status":"ACCEPTED"}')`,
    [applicationId, item.transactionId],
  )
  await transition(database.pool, [{ ...item, event: 'succeeded', actor: { kind: 'operator', id: null } }])
  await database.pool.query(
    `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome, http_status)
     values ($1, $2, 1, clock_timestamp(), 12, 'bad_status', 204)`,
    [applicationId, item.transactionId],
  )
  const detail = await readTransactionDetail(database.pool, applicationId, item.transactionId)
  assert.ok(detail)
  assert.deepEqual([detail.status, detail.amount, detail.feesSystem, detail.feesApp, detail.net], ['SUCCESS', '5000', '50', '25', '5075'])
  assert.deepEqual(detail.maker, { kind: 'person', name: 'Test person' })
  assert.deepEqual(
    detail.events.map((event) => event.event),
    ['created', 'approved', 'succeeded'],
  )
  assert.deepEqual(
    detail.decisions.map(({ decision, note }) => [decision, note]),
    [['validated', 'Seen the invoice']],
  )
  assert.deepEqual([detail.approval?.done, detail.approval?.needed], [1, 1])
  assert.deepEqual(
    detail.webhook?.attempts.map(({ outcome, httpStatus }) => [outcome, httpStatus]),
    [['bad_status', 204]],
  )
  assert.equal(
    detail.entries.reduce((sum, entry) => sum + Number(entry.amount), 0),
    0,
  )
  assert.ok(detail.entries.some((entry) => entry.kind === 'hold') && detail.entries.some((entry) => entry.kind === 'settle'))
  const timeline = timelineOf(detail)
  assert.deepEqual(
    timeline.map((each) => each.kind),
    ['event', 'decision', 'event', 'operator', 'event', 'webhook'],
  )
  assert.deepEqual(
    timeline.map((each) => each.at),
    timeline.map((each) => each.at).toSorted(),
  )
})

test('undefined for a transaction of another application', async () => {
  const other = await makeApplication(database.pool)
  const item = anIntakeItem(other, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  assert.equal(await readTransactionDetail(database.pool, applicationId, item.transactionId), undefined)
})

async function decide(transactionId: string): Promise<void> {
  await database.pool.query(
    `insert into approval_decisions (application_id, transaction_id, checker_id, maker_id, decision, note, through) values ($1, $2, $3, $4, 'validated', 'Seen the invoice', 'back_office')`,
    [applicationId, transactionId, checkerId, makerId],
  )
}
