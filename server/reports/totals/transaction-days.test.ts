import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TRANSACTION_STATUSES } from '#lib/payments/transactions/transaction-status.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { totalByRange } from '../partner-lists/list-for-partner-store.ts'
import { addTransactionDays, sealTotals } from './seal-totals.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const DAYS = { startDay: '2020-01-01', endDay: '9999-12-31' }

/** Fails unless the total of each status, as partners read it, is that of the rows. */
async function assertExact(applicationId: string): Promise<void> {
  for (const status of TRANSACTION_STATUSES) {
    const { rows } = await database.pool.query<{ total: bigint }>(
      'select coalesce(sum(amount_minor), 0)::bigint as total from transactions where application_id = $1 and status = $2',
      [applicationId, status],
    )
    assert.equal(await totalByRange(database.pool, applicationId, { ...DAYS, status }), rows[0]?.total, status)
  }
}

async function make(applicationId: string, overrides: Partial<IntakeItem> = {}): Promise<IntakeItem> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT', ...overrides })
  await takeIn(database.pool, [item])
  return item
}

const move = (item: IntakeItem, event: 'approved' | 'rejected' | 'succeeded' | 'failed') =>
  transition(database.pool, [{ ...item, event, message: 'x', actor: SYSTEM_ACTOR }])

test('exact totals at every moment: before, between and after runs of the task, and through approvals', async () => {
  const applicationId = await makeApplication(database.pool)
  const [open, paid] = [await make(applicationId), await make(applicationId)]
  const [approved, rejected] = [await make(applicationId, { bands: [aBand()] }), await make(applicationId, { bands: [aBand()] })]
  await assertExact(applicationId)
  await move(paid, 'succeeded')
  await assertExact(applicationId)
  await addTransactionDays(database.pool)
  await assertExact(applicationId)
  await move(approved, 'approved')
  await move(rejected, 'rejected')
  await assertExact(applicationId)
  await move(approved, 'failed')
  await move(open, 'succeeded')
  await assertExact(applicationId)
  await addTransactionDays(database.pool)
  await assertExact(applicationId)
  const { rows } = await database.pool.query('select * from late_transaction_days($1)', [applicationId])
  assert.deepEqual(rows, [])
})

test('counted once by tasks that run at the same time while transactions are stored and end', async () => {
  const applicationId = await makeApplication(database.pool)
  await Promise.all(
    Array.from({ length: 30 }, async (_, place) => {
      const item = await make(applicationId, { bands: place % 3 === 0 ? [aBand()] : null })
      if (place % 2 === 0) await addTransactionDays(database.pool)
      if (place % 3 === 0) await move(item, place % 2 === 0 ? 'approved' : 'rejected')
      else await move(item, 'succeeded')
    }),
  )
  await assertExact(applicationId)
  await Promise.all([addTransactionDays(database.pool), addTransactionDays(database.pool)])
  await assertExact(applicationId)
})

test('added up in slices', async () => {
  const applicationId = await makeApplication(database.pool)
  for (let made = 0; made < 5; made++) await move(await make(applicationId), 'succeeded')
  const added: unknown[] = []
  for (let run = 0; run < 4; run++) {
    const { rows } = await database.pool.query('select add_transaction_days($1, 2) as added', [applicationId])
    added.push(rows[0]?.added)
    await assertExact(applicationId)
  }
  assert.deepEqual(added, [4n, 4n, 2n, 0n])
})

test('not sealed: a day with a transaction that the task could not count', async () => {
  const applicationId = await makeApplication(database.pool)
  await move(await make(applicationId), 'succeeded')
  await database.pool.query("update transactions set created_at = created_at - interval '5 days' where application_id = $1", [
    applicationId,
  ])
  const sealed = async () => {
    await database.pool.query('select seal_transaction_days()')
    const { rows } = await database.pool.query("select transaction_count from sealed_totals where application_id = $1 and span = 'day'", [
      applicationId,
    ])
    await assertExact(applicationId)
    return rows.map((row) => row.transaction_count)
  }
  assert.deepEqual(await sealed(), [])
  await sealTotals(database.pool)
  assert.deepEqual(await sealed(), [1n])
})
