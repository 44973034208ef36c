import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { DENIED_AFTER_STOP_MESSAGE, STOPPED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { NO_LOOPS, transition } from '#server/transactions/transition.ts'
import type { QueryOutcome, SubmitOutcome } from '../connector.ts'
import { awaitCode, storeCode } from '../customer-step/customer-code-store.ts'
import { claimAll, readWork } from '../testing/read-work.ts'
import { scheduleSecondLooks } from '../work/contradiction-store.ts'
import type { ClaimedWork } from '../work/operator-work-store.ts'
import { createAnswerRecorder } from '../work/settle-final-result.ts'
import { endStoppedRows, pauseBatch, resumeBatch, stopBatch } from './control-batch.ts'

const ABSENCE_MS = 3_000
const ACCEPTED_ABSENCE_MS = 60_000
const EXCHANGE = { httpStatus: 500, answer: '{}' }
const makerId = randomUUID()

let database: TestDatabase
let applicationId: string
let recorder: ReturnType<typeof createAnswerRecorder>
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
  recorder = createAnswerRecorder({
    pool: database.pool,
    random: () => 0.5,
    pollDelaysMs: [ABSENCE_MS],
    rules: { absenceMs: ABSENCE_MS, acceptedAbsenceMs: ACCEPTED_ABSENCE_MS, hintGapMs: 1 },
  })
})
after(() => database.drop())

const deps = () => ({ pool: database.pool, wake: NO_LOOPS })

async function makeRow(overrides: Partial<IntakeItem> = {}): Promise<IntakeItem & { batchId: string }> {
  const item = { ...anIntakeItem(applicationId, { source: 'file', makerId, ...overrides }), batchId: randomUUID() }
  await takeIn(database.pool, [item])
  return item
}

function command({ batchId }: { batchId: string }) {
  return { applicationId, batchId, person: { kind: 'person', id: makerId, applicationId, roles: ['maker'] } as const, reason: 'Wrong file' }
}

/** Claims the row, as if `elapsedMs` had passed since whatever happened to it last. Undefined if it is not claimed. */
async function claim({ transactionId, operator }: IntakeItem, elapsedMs: number): Promise<ClaimedWork | undefined> {
  await database.pool.query(
    `update operator_work set claimed_until = now(), next_at = next_at - $2 * interval '1 millisecond',
       absent_since = absent_since - $2 * interval '1 millisecond' where transaction_id = $1`,
    [transactionId, elapsedMs],
  )
  return (await claimAll(database.pool, operator, 10, 20_000)).find((work) => work.transactionId === transactionId)
}

async function answer(work: ClaimedWork | undefined, kind: (SubmitOutcome | QueryOutcome)['kind']): Promise<void> {
  assert.ok(work, 'it was not claimed')
  const outcome = { kind, detail: '', exchange: EXCHANGE } as SubmitOutcome | QueryOutcome
  await recorder.submit({ work, kind: work.foundState === 'queued' ? 'submit' : 'query', outcome, durationMs: 1 })
}

async function deny(row: IntakeItem, elapsedMs = ABSENCE_MS * 2): Promise<void> {
  await answer(await claim(row, elapsedMs), 'not_found')
}

const stateOf = async (row: IntakeItem) => (await readWork(database.pool, row))?.['state']
const endOf = async (row: IntakeItem) => {
  const found = await findTransaction(database.pool, applicationId, row.transactionId)
  return [found?.status, found?.message, found?.heldMinor]
}

const FIRST_SUBMISSIONS: [string, (row: IntakeItem) => Promise<void>][] = [
  ['answered with HTTP 500', async (row) => answer(await claim(row, 0), 'unknown')],
  ['interrupted', async (row) => void (await claim(row, 0))],
]
for (const [how, submit] of FIRST_SUBMISSIONS) {
  test(`queried and not stopped as unsent: a row that was ${how}, denied twice and paused; FAILED once the operator keeps denying it, with a second look`, async () => {
    const row = await makeRow()
    await submit(row)
    must(await pauseBatch(deps(), command(row)))
    if (how === 'interrupted') await answer(await claim(row, 21_000), 'unknown')
    await deny(row)
    await deny(row)
    assert.equal(await stateOf(row), 'paused')
    assert.deepEqual(must(await stopBatch(deps(), command(row))), { count: 0 })
    assert.equal(await endStoppedRows(deps()), 0)
    assert.equal(await stateOf(row), 'unconfirmed')
    for (let denials = 0; denials < 3; denials++) await deny(row)
    assert.deepEqual([await endStoppedRows(deps()), await stateOf(row)], [0, 'unconfirmed'])
    await deny(row, 10 * ACCEPTED_ABSENCE_MS)
    assert.equal(await endStoppedRows(deps()), 1)
    assert.deepEqual(await endOf(row), ['FAILED', DENIED_AFTER_STOP_MESSAGE, 0n])
    await scheduleSecondLooks(database.pool, 1_000, 0)
    const { rows } = await database.pool.query('select kind from contradiction_queries where transaction_id = $1', [row.transactionId])
    assert.deepEqual(rows, [{ kind: 'hour_look' }])
  })
}

test('queried and not sent: a row that waited to be sent again when its batch was stopped, and one whose repeated call was not made', async () => {
  const [waiting, calling] = [await makeRow(), await makeRow({ operator: 'OMCM', type: 'COLLECT' })]
  for (const row of [waiting, calling]) {
    await answer(await claim(row, 0), 'unknown')
    await deny(row)
    await deny(row)
    assert.equal(await stateOf(row), 'queued')
  }
  const call = await claim(calling, 600_000)
  assert.equal(call?.submissions, 2)
  for (const row of [waiting, calling]) assert.deepEqual(must(await stopBatch(deps(), command(row))), { count: 0 })
  await answer(call, 'not_sent')
  for (const row of [waiting, calling]) {
    assert.equal(await stateOf(row), 'unconfirmed')
    assert.notEqual((await claim(row, 600_000))?.foundState, 'queued')
  }
})

test('queried and not sent after it is resumed: a paused row of which a late answer shows that the operator has it', async () => {
  const row = await makeRow()
  const first = await claim(row, 0)
  must(await pauseBatch(deps(), command(row)))
  await answer(await claim(row, 21_000), 'unknown')
  await deny(row)
  await deny(row)
  assert.equal(await stateOf(row), 'paused')
  await answer(first, 'accepted')
  assert.equal(await stateOf(row), 'submitted')
  assert.deepEqual(must(await resumeBatch(deps(), command(row))), { count: 0 })
  assert.equal((await claim(row, 0))?.foundState, 'submitted')
})

test('stopped by the next run of the task: a row approved through the API after its batch was stopped, which is never sent', async () => {
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const row = await makeRow({ bands: [aBand()] })
  const sent = { ...anIntakeItem(applicationId, { source: 'file', makerId }), batchId: row.batchId }
  await takeIn(database.pool, [sent])
  must(await stopBatch(deps(), command(row)))
  const [approved] = await transition(database.pool, [{ ...row, event: 'approved', actor: { kind: 'api', id: checkerId }, checkerId }])
  assert.deepEqual([approved?.status, await stateOf(row)], ['PENDING', 'paused'])
  assert.equal(await claim(row, 600_000), undefined)
  assert.equal(await endStoppedRows(deps()), 1)
  assert.deepEqual(await endOf(row), ['FAILED', STOPPED_MESSAGE, 0n])
})

test('stopped: a row of a stopped batch whose customer enters a second code after a wrong one', async () => {
  const row = await makeRow({ type: 'COLLECT' })
  const work = await claim(row, 0)
  assert.ok(work)
  assert.equal(await awaitCode(database.pool, work, EXCHANGE), 'awaiting')
  must(await pauseBatch(deps(), command(row)))
  assert.equal(await storeCode(database.pool, row.payToken, '482913'), true)
  assert.deepEqual(must(await stopBatch(deps(), command(row))), { count: 1 })
  assert.deepEqual((await endOf(row)).slice(0, 2), ['FAILED', STOPPED_MESSAGE])
})

test('stopped and not sent: a row whose customer enters the code after its batch was stopped', async () => {
  const row = await makeRow({ type: 'COLLECT', phoneNumber: '237677209399' })
  const work = await claim(row, 0)
  assert.ok(work)
  assert.equal(await awaitCode(database.pool, work, undefined), 'awaiting')
  assert.deepEqual(must(await stopBatch(deps(), command(row))), { count: 0 })
  assert.equal(await storeCode(database.pool, row.payToken, '482913'), true)
  assert.equal(await claim(row, 600_000), undefined)
  assert.equal(await endStoppedRows(deps()), 1)
  assert.deepEqual((await endOf(row)).slice(0, 2), ['FAILED', STOPPED_MESSAGE])
})

test('queried and not ended: a denied row of a stopped batch of which a callback proves receipt at the moment at which it would end', async () => {
  const row = await makeRow()
  await answer(await claim(row, 0), 'unknown')
  must(await stopBatch(deps(), command(row)))
  await deny(row)
  await deny(row, 10 * ACCEPTED_ABSENCE_MS)
  assert.equal(await stateOf(row), 'paused')
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query(
    "update operator_work set state = 'unconfirmed', accepted_at = now(), next_at = now(), absent_since = null where transaction_id = $1",
    [row.transactionId],
  )
  const ending = endStoppedRows(deps())
  await waitUntil('the task waits for the row', async () => {
    const { rowCount } = await database.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rowCount !== 0
  })
  await client.query('commit')
  client.release()
  assert.deepEqual([await ending, await stateOf(row)], [0, 'unconfirmed'])
})
