import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TRANSACTION_STATUSES } from '#lib/payments/transactions/transaction-status.ts'
import { utcDayOf } from '#lib/time/time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { listBalances } from '../statements/day-ledger.ts'
import { listByPhone, listByStatus, listTransactions, totalByRange, totalOfApplication } from './list-for-partner-store.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await takeIn(database.pool, [anIntakeItem(await makeApplication(database.pool), { type: 'COLLECT' })])
  // 40 collects: every fourth succeeds, every fourth fails, every fourth waits for approval, the rest is pending.
  for (let n = 0; n < 40; n++) {
    const item = anIntakeItem(applicationId, {
      type: 'COLLECT',
      amountMinor: BigInt(n + 1) * 100n,
      phoneNumber: n < 10 ? '237670000010' : '237670000011',
      bands: n % 4 === 2 ? [aBand()] : null,
    })
    await takeIn(database.pool, [item])
    if (n % 4 < 2) await transition(database.pool, [{ ...item, event: n % 4 === 0 ? 'succeeded' : 'failed', actor: SYSTEM_ACTOR }])
  }
})
after(() => database.drop())

test('every transaction once, newest first, over pages of any size, with the exact total on each', async () => {
  for (const size of [1, 7, 40, 1000]) {
    const sequences: bigint[] = []
    for (let page = 0; page * size < 40; page++) {
      const { rows, total } = await listTransactions(database.pool, applicationId, { page, size })
      assert.equal(total, 40n)
      sequences.push(...rows.map((row) => row.sequence))
    }
    assert.deepEqual(
      sequences,
      Array.from({ length: 40 }, (_, n) => BigInt(40 - n)),
    )
  }
})

test('no rows and the exact total for a page past the end', async () => {
  for (const page of [1, 5, 1_000_000_000]) {
    assert.deepEqual(await listTransactions(database.pool, applicationId, { page, size: 1000 }), { rows: [], total: 40n, page, size: 1000 })
  }
})

test('exactly the transactions of a status in its list', async () => {
  for (const status of TRANSACTION_STATUSES) {
    const pages = await Promise.all([0, 1, 2, 3].map((page) => listByStatus(database.pool, applicationId, status, { page, size: 3 })))
    const rows = pages.flatMap((page) => page.rows)
    assert.equal(rows.length, 10, status)
    assert.ok(rows.every((row) => row.status === status))
    assert.equal(new Set(rows.map((row) => row.transactionId)).size, 10)
    assert.ok(pages.every((page) => page.total === 10n))
  }
})

test('exactly the transactions of a phone number in its list, with their count', async () => {
  const { rows, total } = await listByPhone(database.pool, applicationId, '237670000010', { page: 0, size: 6 })
  assert.equal(total, 10n)
  assert.deepEqual(
    rows.map((row) => row.sequence),
    [10n, 9n, 8n, 7n, 6n, 5n],
  )
})

test('a total includes both ends of its range and one status', async () => {
  const { rows } = await database.pool.query<{ at: Date }>('select now() as at')
  const today = utcDayOf(rows[0]?.at ?? new Date())
  const succeeded = Array.from({ length: 10 }, (_, n) => BigInt(n * 4 + 1) * 100n).reduce((sum, one) => sum + one, 0n)
  assert.equal(await totalByRange(database.pool, applicationId, { startDay: today, endDay: today, status: 'SUCCESS' }), succeeded)
  assert.equal(await totalByRange(database.pool, applicationId, { startDay: '2020-01-01', endDay: '2020-12-31', status: 'SUCCESS' }), 0n)
  assert.equal(await totalOfApplication(database.pool, applicationId), 820n * 100n)
})

test('thirteen balances, without the money on hold', async () => {
  const funded = await makeApplication(database.pool)
  await fund(database.pool, funded, 'SNWAVE', 1_000_000n)
  await takeIn(database.pool, [anIntakeItem(funded, { operator: 'SNWAVE' })])
  const balances = await listBalances(database.pool, funded)
  assert.equal(balances.length, 13)
  assert.deepEqual(
    balances.find((balance) => balance.operator === 'SNWAVE'),
    { operator: 'SNWAVE', collectMinor: 0n, depositMinor: 492_500n, heldMinor: 507_500n, earnedFeesMinor: 0n },
  )
})
