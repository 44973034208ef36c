import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createPool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { createIntake, type IntakeItem, type IntakeOutcome, takeIn } from './intake.ts'
import { SYSTEM_ACTOR, transition } from './transition.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const ABOVE = aBand({ aboveMinor: '1000000' })
const FIRST = aBand({ aboveMinor: '0', firstTimeOnly: true })
const [OLD_BENIN, NEW_BENIN] = ['22997123456', '2290197123456']

const statusOf = (outcome: IntakeOutcome | undefined) => outcome && 'status' in outcome && outcome.status

async function one(item: IntakeItem) {
  const [outcome] = await takeIn(database.pool, [item])
  return statusOf(outcome)
}

test('PENDING_APPROVAL when the old and the new Benin number of one person exceed the threshold together, across batches and in one', async () => {
  const part = (applicationId: string, phoneNumber: string) =>
    anIntakeItem(applicationId, { operator: 'BJMTN', amountMinor: 600_000n, bands: [ABOVE], phoneNumber })
  const apart = await makeApplication(database.pool)
  assert.equal(await one(part(apart, OLD_BENIN)), 'PENDING')
  assert.equal(await one(part(apart, NEW_BENIN)), 'PENDING_APPROVAL')
  assert.equal(await one(part(apart, OLD_BENIN)), 'PENDING_APPROVAL')
  const together = await makeApplication(database.pool)
  const outcomes = await takeIn(database.pool, [part(together, NEW_BENIN), part(together, OLD_BENIN)])
  assert.deepEqual(outcomes.map(statusOf), ['PENDING', 'PENDING_APPROVAL'])
})

test('as many approvals as the total of its own file requires: a row that is taken in together with one of another file', async () => {
  const applicationId = await makeApplication(database.pool)
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const bands = [aBand({ steps: [1] }), aBand({ aboveBatchMinor: '1000000', steps: [2] })]
  const items = [900_000n, 2_000_000n].map((batchSumMinor) =>
    anIntakeItem(applicationId, { source: 'file', makerId, batchId: randomUUID(), batchSumMinor, amountMinor: 100_000n, bands }),
  )
  await takeIn(database.pool, items)
  const { rows } = await database.pool.query<{ transaction_id: string; steps: number[] }>(
    'select transaction_id, steps from approval_items where application_id = $1',
    [applicationId],
  )
  const steps = new Map(rows.map((row) => [row.transaction_id, row.steps]))
  assert.deepEqual(
    items.map(({ transactionId }) => steps.get(transactionId)),
    [[1], [2]],
  )
})

test('as many approvals as its own rule requires: rows of two files that have the same total and other rules', async () => {
  const applicationId = await makeApplication(database.pool)
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const items = ([1, 2] as const).map((steps) => {
    const bands = [aBand({ aboveBatchMinor: '1000000', steps: [steps] })]
    return anIntakeItem(applicationId, {
      source: 'file',
      makerId,
      batchId: randomUUID(),
      batchSumMinor: 2_000_000n,
      amountMinor: 100_000n,
      bands,
    })
  })
  await takeIn(database.pool, items)
  const { rows } = await database.pool.query<{ steps: number[] }>(
    `select i.steps from approval_items i join transactions t using (application_id, transaction_id) where t.application_id = $1 order by t.sequence`,
    [applicationId],
  )
  assert.deepEqual(
    rows.map(({ steps }) => steps),
    [[1], [2]],
  )
})

test('PENDING once the beneficiary was paid under the earlier number, and the number is stored as it was sent', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'CIOM', 10_000_000n)
  const paid = anIntakeItem(applicationId, { operator: 'CIOM', phoneNumber: '22507123456' })
  await takeIn(database.pool, [paid])
  await transition(database.pool, [{ ...paid, event: 'succeeded', actor: SYSTEM_ACTOR }])
  assert.equal(await one(anIntakeItem(applicationId, { operator: 'CIOM', phoneNumber: '2250707123456', bands: [FIRST] })), 'PENDING')
  assert.equal(
    await one(anIntakeItem(applicationId, { operator: 'CIOM', phoneNumber: '2250707123457', bands: [FIRST] })),
    'PENDING_APPROVAL',
  )
  const { rows } = await database.pool.query('select phone_number from transactions where application_id = $1 order by sequence', [
    applicationId,
  ])
  assert.deepEqual(
    rows.map((row) => row.phone_number),
    ['22507123456', '2250707123456', '2250707123457'],
  )
})

test('waits for a decision as many hours as its rule says', async () => {
  const applicationId = await makeApplication(database.pool)
  await takeIn(database.pool, [anIntakeItem(applicationId, { bands: [aBand({ expiresInHours: 36 })] })])
  const { rows } = await database.pool.query(
    `select extract(epoch from i.expires_at - t.created_at)::integer / 3600 as hours from approval_items i join transactions t using (application_id, transaction_id)
      where application_id = $1`,
    [applicationId],
  )
  assert.deepEqual(rows, [{ hours: 36 }])
})

test('PENDING_APPROVAL for the first payout to a person who has only been collected from', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 10_000_000n)
  const collected = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'MOMOCM' })
  await takeIn(database.pool, [collected])
  await transition(database.pool, [{ ...collected, event: 'succeeded', actor: SYSTEM_ACTOR }])
  const { phoneNumber } = collected
  const again = (type: 'COLLECT' | 'DEPOSIT') => one(anIntakeItem(applicationId, { type, operator: 'MOMOCM', phoneNumber, bands: [FIRST] }))
  assert.equal(await again('DEPOSIT'), 'PENDING_APPROVAL')
  assert.equal(await again('COLLECT'), 'PENDING')
})

test('PENDING_APPROVAL for a collect that exceeds the threshold with the maker’s other collects from that phone; deposits do not count', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = (type: 'COLLECT' | 'DEPOSIT') => anIntakeItem(applicationId, { type, amountMinor: 600_000n, bands: [ABOVE] })
  assert.equal(await one(item('DEPOSIT')), 'PENDING')
  assert.equal(await one(item('COLLECT')), 'PENDING')
  assert.equal(await one(item('COLLECT')), 'PENDING_APPROVAL')
})

test('PENDING_APPROVAL beside a payment to the same person of almost 24 hours ago, PENDING beside one of 24 hours ago', async () => {
  for (const [age, expected] of [
    ['23 hours 59 minutes', 'PENDING_APPROVAL'],
    ['24 hours', 'PENDING'],
  ] as const) {
    const applicationId = await makeApplication(database.pool)
    const item = () => anIntakeItem(applicationId, { type: 'COLLECT', amountMinor: 600_000n, bands: [ABOVE] })
    assert.equal(await one(item()), 'PENDING')
    await database.pool.query('update transactions set created_at = created_at - $2::interval where application_id = $1', [
      applicationId,
      age,
    ])
    assert.equal(await one(item()), expected, age)
  }
})

test('PENDING_APPROVAL beside a recent payment to the same person although the clock was set back for a day after it', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = (amountMinor: bigint) => anIntakeItem(applicationId, { type: 'COLLECT', amountMinor, bands: [ABOVE] })
  assert.equal(await one(item(600_000n)), 'PENDING')
  const back = item(100n)
  assert.equal(await one(back), 'PENDING')
  await database.pool.query("update transactions set created_at = created_at - interval '25 hours' where transaction_id = $1", [
    back.transactionId,
  ])
  assert.equal(await one(item(600_000n)), 'PENDING_APPROVAL')
})

test('PENDING for a payment beside one to the same person that FAILED, which does not count', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = () => anIntakeItem(applicationId, { type: 'COLLECT', amountMinor: 600_000n, bands: [ABOVE] })
  const failed = item()
  await takeIn(database.pool, [failed])
  await transition(database.pool, [{ ...failed, event: 'failed', message: 'x', actor: SYSTEM_ACTOR }])
  assert.equal(await one(item()), 'PENDING')
  assert.equal(await one(item()), 'PENDING_APPROVAL')
})

test('PENDING for a new payment beside the retry of one that counts already', async () => {
  const applicationId = await makeApplication(database.pool)
  const first = anIntakeItem(applicationId, { amountMinor: 400_000n, bands: [ABOVE] })
  await takeIn(database.pool, [first])
  const retry = { ...first, transactionId: randomUUID() }
  const outcomes = await takeIn(database.pool, [retry, anIntakeItem(applicationId, { amountMinor: 600_000n, bands: [ABOVE] })])
  assert.deepEqual(
    outcomes.map((outcome) => [outcome.kind, statusOf(outcome)]),
    [
      ['existing', 'PENDING'],
      ['created', 'PENDING'],
    ],
  )
})

test('PENDING_APPROVAL for all but what fits below the threshold when two processes take in parts of one payment at once', async () => {
  const applicationId = await makeApplication(database.pool)
  const makerId = await makePerson(database.pool, applicationId, ['maker'])
  const other = createPool({ databaseUrl: database.url, connectionsMax: 8, applicationName: 'second process' })
  try {
    const intakes = [createIntake({ pool: database.pool, batchMax: 3 }), createIntake({ pool: other, batchMax: 3 })] as const
    const forms = [OLD_BENIN, NEW_BENIN]
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        intakes[n % 2 === 0 ? 0 : 1].submit(
          anIntakeItem(applicationId, {
            operator: 'BJMTN',
            source: 'person',
            makerId,
            amountMinor: 300_000n,
            bands: [ABOVE],
            phoneNumber: forms[Math.floor(n / 2) % 2] ?? '',
          }),
        ),
      ),
    )
    assert.equal(outcomes.filter((outcome) => statusOf(outcome) === 'PENDING').length, 3)
  } finally {
    await other.end()
  }
})

test('a bounded number of rows read for a phone number with thousands of earlier transactions', async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { bands: [ABOVE, FIRST] })
  await takeIn(database.pool, [item])
  await database.pool.query(
    `insert into transactions (application_id, transaction_id, sequence, external_id, type, status, operator, currency, amount_minor, fee_system_minor,
       fee_app_minor, customer_name, phone_number, webhook_url, pay_token, source, created_at, final_at)
     select application_id, gen_random_uuid(), n - 20000, gen_random_uuid(), type, 'FAILED', operator, currency, amount_minor, fee_system_minor,
       fee_app_minor, customer_name, phone_number, webhook_url, pay_token, source, now() - interval '30 days', now() - interval '30 days'
     from transactions, generate_series(1, 19999) as n where application_id = $1`,
    [applicationId],
  )
  const trx = await database.pool.connect()
  try {
    await trx.query('begin')
    const read = async () =>
      (
        await trx.query<{ n: bigint }>(
          "select sum(idx_tup_fetch)::bigint as n from pg_stat_xact_user_tables where relname = 'transactions'",
        )
      ).rows[0]?.n ?? 0n
    const before = await read()
    const [outcome] = await takeIn(trx, [anIntakeItem(applicationId, { bands: [ABOVE, FIRST] })])
    assert.equal(statusOf(outcome), 'PENDING_APPROVAL')
    assert.ok((await read()) - before < 2_000n, `${(await read()) - before} rows were read`)
  } finally {
    await trx.query('rollback')
    trx.release()
  }
})
