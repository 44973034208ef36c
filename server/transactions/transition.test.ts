import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from './intake.ts'
import { findTransaction } from './transaction-store.ts'
import { createSettler, SYSTEM_ACTOR, transition } from './transition.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const WAITING = aBand()

async function one(item: IntakeItem): Promise<IntakeItem> {
  await takeIn(database.pool, [item])
  return item
}

async function move(item: IntakeItem, event: TransitionEvent, message?: string) {
  const [outcome] = await transition(database.pool, [
    { applicationId: item.applicationId, transactionId: item.transactionId, event, message, actor: SYSTEM_ACTOR },
  ])
  return outcome
}

async function balanceOf(applicationId: string) {
  const { rows } = await database.pool.query(
    'select collect_minor, deposit_minor, held_minor, fees_minor, clearing_minor, revenue_minor from ledger_balances where application_id = $1 and operator = $2',
    [applicationId, 'MOMOCM'],
  )
  return Object.values<bigint>(rows[0])
}

test('SUCCESS moves the hold of a deposit to clearing, fees and revenue', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const item = await one(anIntakeItem(applicationId))
  assert.deepEqual(await move(item, 'succeeded', 'Transaction réussie'), { isMoved: true, status: 'SUCCESS', version: 2 })
  assert.deepEqual(await balanceOf(applicationId), [0n, 492_500n, 0n, 2_500n, -500_000n, 5_000n])
})

test('FAILED releases the whole hold of a deposit', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const item = await one(anIntakeItem(applicationId))
  await move(item, 'failed', 'Compte non inscrit')
  assert.deepEqual(await balanceOf(applicationId), [0n, 1_000_000n, 0n, 0n, -1_000_000n, 0n])
  assert.equal((await findTransaction(database.pool, applicationId, item.transactionId))?.message, 'Compte non inscrit')
})

test('SUCCESS credits a collect with its amount less both fees', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = await one(anIntakeItem(applicationId, { type: 'COLLECT' }))
  await move(item, 'succeeded')
  assert.deepEqual(await balanceOf(applicationId), [492_500n, 0n, 0n, 2_500n, -500_000n, 5_000n])
})

test('not moved, with the current status, for a transaction in a final state', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = await one(anIntakeItem(applicationId, { type: 'COLLECT' }))
  await move(item, 'failed')
  assert.deepEqual(await move(item, 'succeeded'), { isMoved: false, status: 'FAILED', version: 2 })
  assert.deepEqual(await balanceOf(applicationId), [0n, 0n, 0n, 0n, 0n, 0n])
})

test("the operator's answer is stored as an attempt with the result, even if nothing moves, and not for another application", async () => {
  const applicationId = await makeApplication(database.pool)
  const item = await one(anIntakeItem(applicationId, { type: 'COLLECT' }))
  const answered = (number: number, outcome: 'succeeded' | 'failed', application = applicationId) =>
    transition(database.pool, [
      {
        applicationId: application,
        transactionId: item.transactionId,
        event: outcome,
        actor: SYSTEM_ACTOR,
        answer: { number, outcome, httpStatus: 200, text: `answer ${number}`, durationMs: 12.4 },
      },
    ])
  await answered(1, 'succeeded', await makeApplication(database.pool))
  await answered(2, 'succeeded')
  await answered(3, 'failed')
  const { rows } = await database.pool.query(
    `select application_id, number, kind, outcome, http_status, answer, (extract(epoch from finished_at - started_at) * 1000)::integer as took_ms
       from all_operator_attempts where transaction_id = $1 order by number`,
    [item.transactionId],
  )
  const attempt = { application_id: applicationId, kind: 'query', http_status: 200, took_ms: 12 }
  assert.deepEqual(rows, [
    { ...attempt, number: 2, outcome: 'succeeded', answer: 'answer 2' },
    { ...attempt, number: 3, outcome: 'failed', answer: 'answer 3' },
  ])
})

test('undefined for a transaction of another application', async () => {
  const item = await one(anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT' }))
  assert.equal(await move({ ...item, applicationId: await makeApplication(database.pool) }, 'succeeded'), undefined)
})

test('one webhook for a final state, due no earlier than half a second after the creation', async () => {
  const item = await one(
    anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT', webhookUrl: 'https://Partner.example:8443/a?b=1' }),
  )
  await move(item, 'succeeded')
  const { rows } = await database.pool.query(
    `select d.target, d.next_at >= t.created_at + interval '500 milliseconds' as is_later from webhook_deliveries d
     join transactions t using (application_id, transaction_id) where d.application_id = $1`,
    [item.applicationId],
  )
  assert.deepEqual(rows, [{ target: 'https://partner.example:8443', is_later: true }])
})

test('one target for all URLs of a host and port, regardless of what is before an @ or after the host', async () => {
  const applicationId = await makeApplication(database.pool)
  const urls = [
    'https://a:b@Partner.example/x',
    'https://me@you@partner.example?@x',
    'https://partner.example/a@b',
    'https://partner.example#@',
  ]
  for (const webhookUrl of urls) await move(await one(anIntakeItem(applicationId, { type: 'COLLECT', webhookUrl })), 'succeeded')
  const { rows } = await database.pool.query('select distinct target from webhook_deliveries where application_id = $1', [applicationId])
  assert.deepEqual(rows, [{ target: 'https://partner.example' }])
})

test('PENDING with a hold for an approved deposit that the balance covers; work refused for one that it does not cover', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 600_000n)
  const items = [anIntakeItem(applicationId, { bands: [WAITING] }), anIntakeItem(applicationId, { bands: [WAITING] })]
  await takeIn(database.pool, items)
  assert.equal((await balanceOf(applicationId))[1], 600_000n)
  const outcomes = await transition(
    database.pool,
    items.map((item) => ({ ...item, event: 'approved' as const, actor: SYSTEM_ACTOR })),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome?.status),
    ['PENDING', 'PENDING'],
  )
  const { rows } = await database.pool.query('select state from operator_work where application_id = $1 order by state', [applicationId])
  assert.deepEqual(rows, [{ state: 'queued' }, { state: 'unfunded' }])
  assert.equal((await balanceOf(applicationId))[1], 92_500n)
})

test('not moved when the checker is the maker', async () => {
  const applicationId = await makeApplication(database.pool)
  const makerId = randomUUID()
  const item = await one(anIntakeItem(applicationId, { makerId, source: 'person', bands: [WAITING] }))
  const [outcome] = await transition(database.pool, [{ ...item, event: 'approved', actor: SYSTEM_ACTOR, checkerId: makerId }])
  assert.deepEqual(outcome, { isMoved: false, status: 'PENDING_APPROVAL', version: 1 })
})

test('one move when a transaction is approved and rejected at once', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = await one(anIntakeItem(applicationId, { bands: [WAITING] }))
  const outcomes = await Promise.all([move(item, 'approved'), move(item, 'rejected')])
  assert.equal(outcomes.filter((outcome) => outcome?.isMoved).length, 1)
})

test('an error for every update, delete and truncate of postings and events', async () => {
  const item = await one(anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT' }))
  await move(item, 'succeeded')
  for (const table of ['ledger_postings', 'transaction_events']) {
    await assert.rejects(
      database.pool.query(`update ${table} set at = now() where application_id = $1`, [item.applicationId]),
      /never changed/,
    )
    await assert.rejects(database.pool.query(`delete from ${table} where application_id = $1`, [item.applicationId]), /never changed/)
    await assert.rejects(database.pool.query(`truncate ${table}`), /never changed/)
  }
})

test('net counts in a roll-up row that two moves of one batch change', async () => {
  const applicationId = await makeApplication(database.pool)
  const pending = await one(anIntakeItem(applicationId, { type: 'COLLECT' }))
  const waiting = await one(anIntakeItem(applicationId, { type: 'COLLECT', bands: [WAITING] }))
  await transition(database.pool, [
    { ...pending, event: 'succeeded', actor: SYSTEM_ACTOR },
    { ...waiting, event: 'approved', actor: SYSTEM_ACTOR },
  ])
  // The second run finds nothing to add.
  for (const added of [3n, 0n])
    assert.deepEqual((await database.pool.query('select add_transaction_days($1, 10) as added', [applicationId])).rows, [{ added }])
  const { rows } = await database.pool.query(
    'select status, transaction_count from transaction_days where application_id = $1 and transaction_count > 0 order by 1',
    [applicationId],
  )
  assert.deepEqual(rows, [
    { status: 'PENDING', transaction_count: 1n },
    { status: 'SUCCESS', transaction_count: 1n },
  ])
})

test('not moved to SUCCESS: a deposit without a hold, which can only become FAILED', async () => {
  const item = await one(anIntakeItem(await makeApplication(database.pool)))
  assert.deepEqual(await move(item, 'succeeded'), { isMoved: false, status: 'PENDING', version: 1 })
  assert.deepEqual(await move(item, 'refused_for_funds', 'Solde insuffisant'), { isMoved: true, status: 'FAILED', version: 2 })
})

test('23503 for a result at an operator without a balance row; nothing of it is stored, and the others of its batch are settled', async () => {
  const applicationId = await makeApplication(database.pool)
  const lost = await one(anIntakeItem(applicationId, { type: 'COLLECT', operator: 'OMCM' }))
  const neighbour = await one(anIntakeItem(applicationId, { type: 'COLLECT' }))
  await database.pool.query("delete from ledger_balances where application_id = $1 and operator = 'OMCM'", [applicationId])
  const settler = createSettler({ pool: database.pool })
  const [first, second] = await Promise.allSettled(
    [lost, neighbour].map((item) => settler.settle({ ...item, event: 'succeeded' as const, actor: SYSTEM_ACTOR })),
  )
  assert.ok(first?.status === 'rejected' && first.reason.code === '23503', String(first?.status))
  assert.ok(second?.status === 'fulfilled' && second.value?.status === 'SUCCESS')
  assert.equal((await findTransaction(database.pool, applicationId, lost.transactionId))?.status, 'PENDING')
  const { rows } = await database.pool.query('select subject_id from ledger_postings where application_id = $1', [applicationId])
  assert.deepEqual(rows, [{ subject_id: neighbour.transactionId }])
})

test('PENDING with its work refused for a deposit that is approved at an operator without a balance row', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = await one(anIntakeItem(applicationId, { bands: [WAITING] }))
  await database.pool.query("delete from ledger_balances where application_id = $1 and operator = 'MOMOCM'", [applicationId])
  assert.equal((await move(item, 'approved'))?.status, 'PENDING')
  const { rows } = await database.pool.query('select state from operator_work where application_id = $1', [applicationId])
  assert.deepEqual(rows, [{ state: 'unfunded' }])
})

test('not moved when approved in a disabled application or at a disabled service; FAILED when rejected there', async () => {
  for (const [disable, enable] of [
    [
      'update applications set is_enabled = false where application_id = $1',
      'update applications set is_enabled = true where application_id = $1',
    ],
    [
      "insert into transfer_services (application_id, operator, type, is_enabled) values ($1, 'MOMOCM', 'DEPOSIT', false)",
      'update transfer_services set is_enabled = true where application_id = $1',
    ],
  ] as const) {
    const applicationId = await makeApplication(database.pool)
    const item = await one(anIntakeItem(applicationId, { bands: [WAITING] }))
    const other = await one(anIntakeItem(applicationId, { bands: [WAITING] }))
    await database.pool.query(disable, [applicationId])
    assert.deepEqual(await move(item, 'approved'), { isMoved: false, status: 'PENDING_APPROVAL', version: 1 })
    assert.equal((await move(other, 'rejected'))?.status, 'FAILED')
    await database.pool.query(enable, [applicationId])
    assert.equal((await move(item, 'approved'))?.status, 'PENDING')
  }
})

test('not moved: stopped while an operator may have it; FAILED where nothing is being sent', async () => {
  const applicationId = await makeApplication(database.pool)
  for (const [state, isMoved] of [
    ['submitting', false],
    ['submitted', false],
    ['unconfirmed', false],
    ['awaiting_code', false],
    ['queued', true],
    ['paused', true],
  ] as const) {
    const item = await one(anIntakeItem(applicationId, { type: 'COLLECT' }))
    await database.pool.query('update operator_work set state = $2 where transaction_id = $1', [item.transactionId, state])
    assert.equal((await move(item, 'stopped'))?.isMoved, isMoved, state)
  }
})
