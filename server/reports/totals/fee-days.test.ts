import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addDecimals, formatMinor } from '#lib/money.ts'
import { totalsQuerySchema } from '#lib/schemas/finance-query.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication } from '#server/testing/factories.ts'
import { addFeeDays } from './add-fee-days.ts'
import { readTotals } from './read-totals.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Fees of what succeeded, from the raw rows. */
async function recount(applicationId: string, type: string | null): Promise<string> {
  const { rows } = await database.pool.query<{ sum: bigint }>(
    `select coalesce(sum(fee_system_minor + fee_app_minor), 0) as sum from transactions
      where application_id = $1 and status = 'SUCCESS' and ($2::text is null or type = $2)`,
    [applicationId, type],
  )
  return formatMinor(rows[0]?.sum ?? 0n)
}

async function feesOf(applicationId: string, type: string | null, from?: string): Promise<string> {
  const query = totalsQuerySchema.parse({ dates: 'always', ...(type ? { type } : {}), ...(from ? { from } : {}) })
  const { money } = await readTotals(database.pool, inUtc(applicationId), query, new Date())
  return money.reduce((sum, { now }) => addDecimals(sum, addDecimals(now.feesSystem, now.feesApp)), '0')
}

test('the same fees before, between and after two additions of what succeeded, for both directions', async () => {
  const applicationId = await makeApplication(database.pool)
  for (const operator of SOME_OPERATORS) await fund(database.pool, applicationId, operator, 900_000_000n)
  for (const seed of [3, 5]) {
    await liveThrough(database.pool, applicationId, createRandom(seed), 40)
    for (const isAdded of [false, true]) {
      if (isAdded) await Promise.all([addFeeDays(database.pool), addFeeDays(database.pool)])
      for (const type of [null, 'COLLECT', 'DEPOSIT']) {
        const expected = await recount(applicationId, type)
        assert.notEqual(expected, '0')
        assert.equal(await feesOf(applicationId, type), expected, `${type} after seed ${seed}`)
      }
    }
  }
  const { rows } = await database.pool.query<{ left: bigint }>(
    `select c.success_count - m.added_until as left from application_counters c join fee_marks m using (application_id) where c.application_id = $1`,
    [applicationId],
  )
  assert.equal(rows[0]?.left, 0n)
})

test('zero fees for days without a transaction, and for transactions that failed', async () => {
  const applicationId = await makeApplication(database.pool)
  await liveThrough(database.pool, applicationId, createRandom(9), 10)
  assert.equal(await feesOf(applicationId, null, '9999-01-01'), '0')
  const failed = await readTotals(database.pool, inUtc(applicationId), totalsQuerySchema.parse({ status: 'FAILED' }), new Date())
  assert.ok(failed.money.every(({ now }) => now.feesSystem === '0' && now.feesApp === '0'))
})

test('the days before as the second figure, and null where no days are compared', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       values ($1, '2026-11-03', 'OMCM', 'COLLECT', 'SUCCESS', 2, 30000), ($1, '2026-10-22', 'OMCM', 'COLLECT', 'SUCCESS', 1, 10000),
              ($1, '2026-10-23', 'OMCM', 'COLLECT', 'SUCCESS', 1, 70000), ($1, '2026-10-05', 'UGMTN', 'DEPOSIT', 'SUCCESS', 1, 500)`,
    [applicationId],
  )
  const read = (query: object) =>
    readTotals(database.pool, inUtc(applicationId), totalsQuerySchema.parse(query), new Date('2026-11-22T10:00:00Z'))
  const { before: days, money } = await read({})
  assert.deepEqual(days, { from: '2026-10-01', to: '2026-10-22' })
  assert.deepEqual(
    money.map(({ currency, now, before: past }) => [currency, now.collects.amount, past?.collects.amount, now.net, past?.net]),
    [
      ['XAF', '300', '100', '300', '100'],
      ['UGX', '0', '0', '0', '-5'],
    ],
  )
  const all = await read({ dates: 'always' })
  assert.deepEqual([all.before, all.money.map((each) => each.before)], [null, [null, null]])
})
