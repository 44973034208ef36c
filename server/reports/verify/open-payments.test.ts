import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { verifyBooks } from './verify-books.ts'

let database: TestDatabase
let pending: IntakeItem
let waiting: IntakeItem
before(async () => {
  database = await createTestDatabase()
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 10_000_000n)
  const makerId = randomUUID()
  pending = anIntakeItem(applicationId, { batchId: randomUUID() })
  waiting = anIntakeItem(applicationId, { bands: [aBand()], makerId })
  await takeIn(database.pool, [pending, waiting])
})
after(() => database.drop())

test('no difference for an open payment that is sent, and for one that waits for a decision', async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
})

const WORK = 'update operator_work set'
const STOPPED = `insert into batch_runs (application_id, batch_id, state, changed_by, reason)
  select application_id, batch_id, 'stopped', gen_random_uuid(), 'x' from transactions where transaction_id = $1`
const SHAPES: { title: string; of: 'pending' | 'waiting'; damage: string[]; check?: string; detail: RegExp }[] = [
  { title: 'has no operator work', of: 'pending', damage: ['delete from operator_work'], check: 'operator work', detail: /operator work/ },
  { title: 'is never due', of: 'pending', damage: [`${WORK} next_at = 'infinity'`], detail: /never due/ },
  { title: 'is due in ten days', of: 'pending', damage: [`${WORK} next_at = now() + interval '10 days'`], detail: /not due for/ },
  {
    title: 'is claimed for ten days',
    of: 'pending',
    damage: [`${WORK} state = 'submitted', is_claimed = true, claimed_until = now() + interval '10 days'`],
    detail: /claimed/,
  },
  { title: 'waits for a code without an end', of: 'pending', damage: [`${WORK} state = 'awaiting_code'`], detail: /code/ },
  {
    title: 'is paused although nobody paused its batch',
    of: 'pending',
    damage: [`${WORK} state = 'paused', next_at = 'infinity'`],
    check: 'batches',
    detail: /nobody/,
  },
  { title: 'is about to be sent in a stopped batch', of: 'pending', damage: [STOPPED], detail: /about to be sent/ },
  {
    title: 'is paused in a stopped batch although it was submitted',
    of: 'pending',
    damage: [STOPPED, `${WORK} state = 'paused', next_at = 'infinity', submissions = 1, attempts = 1`],
    detail: /paused in a stopped batch/,
  },
  { title: 'is in the lane of another operator', of: 'pending', damage: [`${WORK} operator = 'OMCM'`], detail: /another operator/ },
  {
    title: 'waits for a decision and has no approval item',
    of: 'waiting',
    damage: ['delete from approval_items'],
    check: 'approvals',
    detail: /approval is missing/,
  },
  {
    title: 'waits for a decision for ever',
    of: 'waiting',
    damage: ["update approval_items set expires_at = 'infinity'"],
    detail: /without an end/,
  },
  {
    title: 'was rejected and still waits',
    of: 'waiting',
    damage: [
      `insert into approval_decisions (application_id, transaction_id, checker_id, decision, note, through)
         select application_id, transaction_id, gen_random_uuid(), 'rejected', 'x', 'back_office' from transactions where transaction_id = $1`,
    ],
    detail: /rejected/,
  },
]

/** Damages a payment, returns the findings of the books' checks about it, and undoes the damage. */
async function findIn(transactionId: string, damage: readonly string[]) {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    for (const statement of damage)
      await client.query(statement.includes('$1') ? statement : `${statement} where transaction_id = $1`, [transactionId])
    return (await verifyBooks(client)).filter((one) => one.subject.includes(transactionId))
  } finally {
    await client.query('rollback')
    client.release()
  }
}

for (const { title, of, damage, check = 'open payments', detail } of SHAPES) {
  test(`a difference in "${check}" for a payment that ${title}`, async () => {
    const { transactionId } = of === 'pending' ? pending : waiting
    const found = await findIn(transactionId, damage)
    assert.deepEqual(
      found.map((one) => one.check),
      [check],
    )
    assert.match(found[0]?.detail ?? '', detail)
  })
}

test('no difference for a payment that was denied after its batch was stopped, which the next run of the task ends', async () => {
  const denied = `${WORK} state = 'paused', next_at = 'infinity', submissions = 1, attempts = 1, absent_since = now()`
  assert.deepEqual(await findIn(pending.transactionId, [STOPPED, denied]), [])
})
