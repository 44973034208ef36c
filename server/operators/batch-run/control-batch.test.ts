import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { STOPPED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { NO_LOOPS, SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { OperatorHarness } from '../testing/operator-harness.ts'
import { rescheduleFarWork } from '../work/work-schedule-store.ts'
import { endStoppedRows, pauseBatch, resumeBatch, stopBatch } from './control-batch.ts'

let harness: OperatorHarness
let applicationId: string
const makerId = randomUUID()
before(async () => {
  // Nothing listens there: no connection, so not one byte is written.
  harness = await OperatorHarness.open({ elsewhere: { SNFREE: 'http://127.0.0.1:9' }, dispatcher: { submissionsMax: 4 } })
  applicationId = harness.applicationId
})
after(async () => {
  try {
    // The rows here were never approved, so that nobody has to decide first.
    const wrong = (await verifyBooks(harness.database.pool)).filter(({ check }) => check !== 'approvals')
    assert.deepEqual(wrong, [])
    must(await verifyAuditChain(harness.database.pool, applicationId))
  } finally {
    await harness.close()
  }
})

const deps = () => ({ pool: harness.database.pool, wake: NO_LOOPS })

function person(roles: Role[], id: string = randomUUID(), inApplication = applicationId) {
  return { kind: 'person', id, applicationId: inApplication, roles } as const
}
const maker = () => person(['maker'], makerId)

/** A batch whose rows were approved and wait to be sent. */
async function makeRunning(count: number, operators: OperatorCode[] = ['MOMOCM']): Promise<{ batchId: string; items: IntakeItem[] }> {
  const batchId = randomUUID()
  const items = Array.from({ length: count }, (_, index) =>
    anIntakeItem(applicationId, {
      source: 'file',
      makerId,
      batchId,
      operator: operators[index % operators.length] ?? 'MOMOCM',
      bands: null,
    }),
  )
  await takeIn(harness.database.pool, items)
  return { batchId, items }
}

async function count(batchId: string, condition: string): Promise<number> {
  const { rows } = await harness.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from transactions t left join operator_work w using (application_id, transaction_id)
     where t.batch_id = $1 and ${condition}`,
    [batchId],
  )
  return rows[0]?.count ?? 0
}

async function stopDispatchers(): Promise<void> {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
}

test('not one more submission of a batch while it is paused, and all of them after it is resumed', async () => {
  const { batchId, items } = await makeRunning(200)
  const dispatcher = harness.startDispatcher()
  await waitUntil('some rows are sent', async () => (await count(batchId, "w.state = 'queued'")) < 190)
  const paused = must(await pauseBatch(deps(), { applicationId, batchId, person: maker(), reason: 'Look again' }))
  assert.ok(paused.count > 0)
  // Claimed rows continue; nothing else is claimed.
  const claimed = await count(batchId, "(t.status <> 'PENDING' or w.state <> 'paused')")
  await waitUntil('the rows that were sent are final', async () => (await count(batchId, "t.status = 'SUCCESS'")) === claimed)
  dispatcher.wake()
  assert.equal(await count(batchId, "w.state = 'paused'"), items.length - claimed)
  assert.equal(await rescheduleFarWork(harness.database.pool, ['MOMOCM'], 1_000), 0)
  assert.deepEqual(await pauseBatch(deps(), { applicationId, batchId, person: maker(), reason: 'Again' }), {
    ok: false,
    error: 'not_running',
  })
  must(await resumeBatch(deps(), { applicationId, batchId, person: maker() }))
  await waitUntil('every row is final', async () => (await count(batchId, "t.status = 'SUCCESS'")) === items.length)
  const books = await harness.books()
  for (const item of items) assert.equal(books.get(item.transactionId)?.submissions, 1)
  await stopDispatchers()
})

test('either sent once or FAILED and never sent: each row of a batch that is stopped while two dispatchers send it', async () => {
  for (let round = 0; round < 4; round++) {
    const { batchId, items } = await makeRunning(150)
    harness.startDispatcher()
    harness.startDispatcher()
    await waitUntil('some rows are sent', async () => (await count(batchId, "w.state = 'queued'")) <= 150 - round * 10)
    const { count: stopped } = must(await stopBatch(deps(), { applicationId, batchId, person: person(['checker']), reason: 'Wrong file' }))
    await waitUntil('every row is final', async () => (await count(batchId, "t.status = 'PENDING'")) === 0)
    const books = await harness.books()
    let unsent = 0
    for (const item of items) {
      const stored = await harness.read(item)
      const entry = books.get(item.transactionId)
      if (stored.status === 'SUCCESS') assert.equal(entry?.submissions, 1)
      else {
        assert.deepEqual([stored.status, stored.message, stored.heldMinor, entry], ['FAILED', STOPPED_MESSAGE, 0n, undefined])
        unsent++
      }
    }
    assert.equal(unsent, stopped)
    const { rows } = await harness.database.pool.query(
      `select count(*)::integer as events, (select count(*)::integer from webhook_deliveries d join transactions t using (application_id, transaction_id)
         where t.batch_id = $1) as webhooks
       from transaction_events e join transactions t using (application_id, transaction_id)
       where t.batch_id = $1 and e.event = 'stopped' and e.reason = 'Wrong file'`,
      [batchId],
    )
    assert.deepEqual(rows, [{ events: stopped, webhooks: items.length }])
    assert.deepEqual(await stopBatch(deps(), { applicationId, batchId, person: maker(), reason: 'Again' }), { ok: false, error: 'stopped' })
    await stopDispatchers()
  }
})

test('SUCCESS of the rows at other operators while one operator of the batch is down, whose rows can be stopped', async () => {
  const { batchId } = await makeRunning(40, ['SNFREE', 'BFOM', 'UGMTN', 'MOMOCM'])
  harness.startDispatcher()
  await waitUntil('the others are final', async () => (await count(batchId, "t.status = 'SUCCESS'")) === 30)
  assert.equal(await count(batchId, "t.operator = 'SNFREE' and t.status = 'PENDING'"), 10)
  await waitUntil('rows were tried', async () => (await count(batchId, 'w.submissions > 0')) > 0)
  const { count: stopped } = must(await stopBatch(deps(), { applicationId, batchId, person: maker(), reason: 'Operator down' }))
  // A row whose call was in progress waits, and is ended by the task; it is never sent.
  await stopDispatchers()
  const late = await endStoppedRows(deps())
  assert.equal(stopped + late, 10)
  assert.equal(await count(batchId, "t.status = 'FAILED'"), 10)
})

test('not_yours for persons who may not, not_found elsewhere, and only checkers and administrators resume what others paused', async () => {
  const { batchId } = await makeRunning(3)
  const pause = (who: ReturnType<typeof person>) => pauseBatch(deps(), { applicationId, batchId, person: who, reason: 'Why' })
  const resume = (who: ReturnType<typeof person>) => resumeBatch(deps(), { applicationId, batchId, person: who })
  const elsewhere = await makeApplication(harness.database.pool)
  for (const who of [person(['maker']), person(['finance']), person([]), person(['administrator', 'checker'], randomUUID(), elsewhere)])
    assert.deepEqual(await pause(who), { ok: false, error: 'not_yours' })
  assert.deepEqual(
    await pauseBatch(deps(), { applicationId: elsewhere, batchId, person: person(['checker'], randomUUID(), elsewhere), reason: 'Why' }),
    {
      ok: false,
      error: 'not_found',
    },
  )
  assert.deepEqual(await resume(person(['checker'])), { ok: false, error: 'not_paused' })
  assert.deepEqual(must(await pause(person(['checker']))), { count: 3 })
  assert.deepEqual(await resume(maker()), { ok: false, error: 'not_yours' })
  assert.deepEqual(await resume(person(['maker', 'checker'], makerId)), { ok: false, error: 'not_yours' })
  assert.deepEqual(must(await resume(person(['administrator']))), { count: 3 })
  assert.deepEqual(must(await pause(maker())), { count: 3 })
  assert.deepEqual(must(await stopBatch(deps(), { applicationId, batchId, person: maker(), reason: 'Wrong' })), { count: 3 })
  assert.deepEqual(await resume(person(['checker'])), { ok: false, error: 'stopped' })
  const { rows } = await harness.database.pool.query<{ action: string }>(
    'select action from audit_entries where application_id = $1 and subject = $2 order by sequence',
    [applicationId, batchId],
  )
  assert.deepEqual(
    rows.map((row) => row.action),
    ['batch.paused', 'batch.resumed', 'batch.paused', 'batch.stopped'],
  )
})

test('recorded with the reason and the rows, told to live pages, and the loops that have work are woken: a pause, its end and a stop', async () => {
  const { pool } = harness.database
  const { batchId } = await makeRunning(3)
  const woken: string[] = []
  const wake = { operators: () => void woken.push('operators'), webhooks: () => void woken.push('webhooks') }
  const command = { applicationId, batchId, person: maker() }
  const changeNumber = async () => {
    const { rows } = await pool.query<{ n: bigint }>('select change_number as n from application_counters where application_id = $1', [
      applicationId,
    ])
    return rows[0]?.n ?? 0n
  }
  for (const [control, expected] of [
    [() => pauseBatch({ pool, wake }, { ...command, reason: 'Look again' }), { woken: [], state: 'paused', reason: 'Look again' }],
    [() => resumeBatch({ pool, wake }, command), { woken: ['operators'], state: 'running', reason: null }],
    [
      () => stopBatch({ pool, wake }, { ...command, reason: 'Wrong' }),
      { woken: ['webhooks', 'operators'], state: 'stopped', reason: 'Wrong' },
    ],
  ] as const) {
    const before = await changeNumber()
    woken.length = 0
    assert.deepEqual(must(await control()), { count: 3 })
    assert.deepEqual(woken, expected.woken)
    assert.ok((await changeNumber()) > before)
    const { rows } = await pool.query(
      `select r.state, r.reason, r.changed_by, e.actor_id, e.details from batch_runs r
         join audit_entries e on e.application_id = r.application_id and e.subject = r.batch_id::text
         where r.application_id = $1 and r.batch_id = $2 order by e.sequence desc limit 1`,
      [applicationId, batchId],
    )
    const { state, reason } = expected
    assert.deepEqual(rows, [{ state, reason, changed_by: makerId, actor_id: makerId, details: { rows: 3, ...(reason && { reason }) } }])
  }
})

test('nothing_left, and nothing is stored, for a pause and a stop of a batch whose rows have ended; a pause that outlasts them can end', async () => {
  const { pool } = harness.database
  const [ended, outlasted] = [await makeRunning(1), await makeRunning(1)]
  must(await pauseBatch(deps(), { applicationId, batchId: outlasted.batchId, person: maker(), reason: 'Why' }))
  await transition(
    pool,
    [...ended.items, ...outlasted.items].map((item) => ({ ...item, event: 'failed', actor: SYSTEM_ACTOR })),
  )
  const command = { applicationId, batchId: ended.batchId, person: maker(), reason: 'Why' }
  for (const control of [pauseBatch, stopBatch]) assert.deepEqual(await control(deps(), command), { ok: false, error: 'nothing_left' })
  const { rows } = await pool.query('select state from batch_runs where batch_id = $1', [ended.batchId])
  assert.deepEqual(rows, [])
  assert.deepEqual(must(await resumeBatch(deps(), { ...command, batchId: outlasted.batchId })), { count: 0 })
})
