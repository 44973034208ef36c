import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { OverloadedError } from '#server/database/batcher.ts'
import { createPool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { createIntake, type IntakeItem, takeIn } from './intake.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function balanceOf(applicationId: string, operator = 'MOMOCM') {
  const { rows } = await database.pool.query('select * from ledger_balances where application_id = $1 and operator = $2', [
    applicationId,
    operator,
  ])
  return rows[0]
}

test('created: a deposit is stored, held, counted, rolled up and queued for its operator in one statement', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const item = anIntakeItem(applicationId)
  const [outcome] = await takeIn(database.pool, [item])
  assert.deepEqual(outcome, {
    kind: 'created',
    transactionId: item.transactionId,
    status: 'PENDING',
    amountMinor: 500_000n,
    feeSystemMinor: 5_000n,
    feeAppMinor: 2_500n,
    payToken: item.payToken,
  })
  const balance = await balanceOf(applicationId)
  assert.equal(balance.deposit_minor, 1_000_000n - 507_500n)
  assert.equal(balance.held_minor, 507_500n)
  const { rows: counters } = await database.pool.query('select * from application_counters where application_id = $1', [applicationId])
  assert.equal(counters[0].transaction_count, 1n)
  assert.equal(counters[0].pending_count, 1n)
  const { rows: days } = await database.pool.query('select * from late_transaction_days($1)', [applicationId])
  assert.deepEqual(
    days.map((day) => [day.status, day.transaction_count, day.amount_minor]),
    [['PENDING', 1n, 500_000n]],
  )
  const { rows: work } = await database.pool.query('select state from operator_work where application_id = $1', [applicationId])
  assert.deepEqual(work, [{ state: 'queued' }])
  const { rows: events } = await database.pool.query(
    'select version, from_status, to_status, event from all_transaction_events where application_id = $1',
    [applicationId],
  )
  assert.deepEqual(events, [{ version: 1, from_status: null, to_status: 'PENDING', event: 'created' }])
})

test('held: the first of two deposits in one batch that is exactly what the balance covers, and not the second', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 507_500n)
  await takeIn(database.pool, [anIntakeItem(applicationId), anIntakeItem(applicationId)])
  const { rows } = await database.pool.query('select held_minor from transactions where application_id = $1 order by sequence', [
    applicationId,
  ])
  assert.deepEqual(rows, [{ held_minor: 507_500n }, { held_minor: 0n }])
  assert.equal((await balanceOf(applicationId)).deposit_minor, 0n)
})

test('created with nothing held and its work refused: a deposit that the balance does not cover', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000n)
  const [outcome] = await takeIn(database.pool, [anIntakeItem(applicationId)])
  assert.equal(outcome?.kind === 'created' && outcome.status, 'PENDING')
  const { rows } = await database.pool.query('select state from operator_work where application_id = $1', [applicationId])
  assert.deepEqual(rows, [{ state: 'unfunded' }])
  assert.equal((await balanceOf(applicationId)).deposit_minor, 100_000n)
})

test('queued: the deposits of a batch that the balance covers after it did not cover an earlier one', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const amounts = [800_000n, 500_000n, 100_000n]
  const items = amounts.map((amountMinor) => anIntakeItem(applicationId, { amountMinor }))
  await takeIn(database.pool, items)
  const { rows } = await database.pool.query(
    'select t.amount_minor, w.state from operator_work w join transactions t using (application_id, transaction_id) where w.application_id = $1 order by t.sequence',
    [applicationId],
  )
  assert.deepEqual(
    rows.map((row) => row.state),
    ['queued', 'unfunded', 'queued'],
  )
})

test('existing with the stored transaction for the same externalId with the same content', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  const [again] = await takeIn(database.pool, [{ ...item, transactionId: randomUUID(), payToken: randomUUID() }])
  assert.equal(again?.kind === 'existing' && again.transactionId, item.transactionId)
  const { rows } = await database.pool.query('select transaction_count from application_counters where application_id = $1', [
    applicationId,
  ])
  assert.equal(rows[0].transaction_count, 1n)
})

test('conflict for the same externalId with any other content', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  await takeIn(database.pool, [item])
  const changes: Partial<IntakeItem>[] = [
    { amountMinor: 1n },
    { customerName: 'x' },
    { phoneNumber: '237600000000' },
    { webhookUrl: 'https://b.example' },
    { type: 'DEPOSIT' },
    { operator: 'OMCM' },
  ]
  for (const change of changes) {
    const [outcome] = await takeIn(database.pool, [{ ...item, ...change, transactionId: randomUUID() }])
    assert.deepEqual(outcome, { kind: 'conflict' }, Object.keys(change).join())
  }
})

test('one transaction for fifty equal requests at once, through two processes', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT' })
  const otherPool = createPool({ databaseUrl: database.url, connectionsMax: 4, applicationName: 'second process' })
  try {
    const intakes = [createIntake({ pool: database.pool }), createIntake({ pool: otherPool })] as const
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        intakes[n % 2 === 0 ? 0 : 1].submit({ ...item, transactionId: randomUUID(), payToken: randomUUID() }),
      ),
    )
    assert.equal(outcomes.filter((outcome) => outcome?.kind === 'created').length, 1)
    assert.equal(new Set(outcomes.map((outcome) => (outcome && 'transactionId' in outcome ? outcome.transactionId : ''))).size, 1)
  } finally {
    await otherPool.end()
  }
})

test('sequences without gaps when many requests of many applications run at once', async () => {
  const applicationIds = await Promise.all(Array.from({ length: 5 }, () => makeApplication(database.pool)))
  const intake = createIntake({ pool: database.pool, batchMax: 16 })
  await Promise.all(Array.from({ length: 500 }, (_, n) => intake.submit(anIntakeItem(applicationIds[n % 5] ?? '', { type: 'COLLECT' }))))
  const { rows } = await database.pool.query(
    'select application_id, count(*) as rows, min(sequence), max(sequence) from transactions where application_id = any ($1) group by 1',
    [applicationIds],
  )
  assert.deepEqual(
    rows.map((row) => [row.rows, row.min, row.max]),
    Array.from({ length: 5 }, () => [100n, 1n, 100n]),
  )
})

const BAND = aBand({ aboveMinor: '1000000' })

test('PENDING_APPROVAL above a threshold, PENDING at it', async () => {
  const applicationId = await makeApplication(database.pool)
  const at = anIntakeItem(applicationId, { amountMinor: 1_000_000n, bands: [BAND], phoneNumber: '237670000001' })
  const above = anIntakeItem(applicationId, { amountMinor: 1_000_001n, bands: [BAND], phoneNumber: '237670000002' })
  const outcomes = await takeIn(database.pool, [at, above])
  assert.deepEqual(
    outcomes.map((outcome) => 'status' in outcome && outcome.status),
    ['PENDING', 'PENDING_APPROVAL'],
  )
  const { rows } = await database.pool.query('select policy_version, steps, needs_code from approval_items where application_id = $1', [
    applicationId,
  ])
  assert.deepEqual(rows, [{ policy_version: 1, steps: [1], needs_code: false }])
})

test('PENDING_APPROVAL for the part of a split payment that exceeds the threshold, across batches and inside one', async () => {
  const applicationId = await makeApplication(database.pool)
  const part = () => anIntakeItem(applicationId, { amountMinor: 400_000n, bands: [BAND], phoneNumber: '237670000003' })
  const first = await takeIn(database.pool, [part()])
  const rest = await takeIn(database.pool, [part(), part()])
  assert.deepEqual(
    [...first, ...rest].map((outcome) => 'status' in outcome && outcome.status),
    ['PENDING', 'PENDING', 'PENDING_APPROVAL'],
  )
})

test('PENDING_APPROVAL for a small amount in a batch whose total is above the threshold', async () => {
  const applicationId = await makeApplication(database.pool)
  const [outcome] = await takeIn(database.pool, [
    anIntakeItem(applicationId, { amountMinor: 100n, batchSumMinor: 1_000_001n, bands: [BAND] }),
  ])
  assert.equal(outcome && 'status' in outcome && outcome.status, 'PENDING_APPROVAL')
})

test('rejected for the one item that the database refuses, created for the others of its batch', async () => {
  const applicationId = await makeApplication(database.pool)
  const intake = createIntake({ pool: database.pool })
  const settled = await Promise.allSettled([
    intake.submit(anIntakeItem(applicationId, { type: 'COLLECT' })),
    intake.submit(anIntakeItem(applicationId, { type: 'COLLECT', amountMinor: 0n })),
    intake.submit(anIntakeItem(applicationId, { type: 'COLLECT' })),
  ])
  assert.deepEqual(
    settled.map((one) => one.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('created with nothing held and its work refused: a deposit at an operator without a balance row', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query("delete from ledger_balances where application_id = $1 and operator = 'MOMOCM'", [applicationId])
  const [outcome] = await takeIn(database.pool, [anIntakeItem(applicationId)])
  assert.equal(outcome?.kind === 'created' && outcome.status, 'PENDING')
  const { rows } = await database.pool.query(
    'select t.held_minor, w.state from transactions t join operator_work w using (application_id, transaction_id) where t.application_id = $1',
    [applicationId],
  )
  assert.deepEqual(rows, [{ held_minor: 0n, state: 'unfunded' }])
})

test('an error and no posting for a funding at an operator without a balance row', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query("delete from ledger_balances where application_id = $1 and operator = 'MOMOCM'", [applicationId])
  await assert.rejects(fund(database.pool, applicationId, 'MOMOCM', 100n), /no balance/)
  const { rows } = await database.pool.query('select 1 from ledger_postings where application_id = $1', [applicationId])
  assert.deepEqual(rows, [])
})

test('OverloadedError only for the application that fills the queue; created for another one in the same partition', async () => {
  const greedy = await makeApplication(database.pool)
  let other = await makeApplication(database.pool)
  const partition = (id: string) => id.charCodeAt(id.length - 1) % 2
  while (partition(other) !== partition(greedy)) other = await makeApplication(database.pool)
  const intake = createIntake({ pool: database.pool, queueMax: 400, batchMax: 16 })
  const collect = (applicationId: string) => intake.submit(anIntakeItem(applicationId, { type: 'COLLECT' }))
  const flood = Promise.allSettled(Array.from({ length: 1_000 }, () => collect(greedy)))
  const others = await Promise.allSettled(Array.from({ length: 50 }, () => collect(other)))
  assert.equal(others.filter((one) => one.status === 'fulfilled').length, 50)
  const settled = await flood
  assert.equal(settled.filter((one) => one.status === 'fulfilled').length, 300)
  const refused = settled.find((one) => one.status === 'rejected')
  assert.ok(refused?.status === 'rejected' && refused.reason instanceof OverloadedError)
  const { rows } = await database.pool.query('select transaction_count from application_counters where application_id = $1', [greedy])
  assert.equal(rows[0].transaction_count, 300n)
})
