import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addDecimals, formatMinor } from '#lib/money/money.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication } from '#server/testing/factories.ts'
import { LATE_MAX } from './money-figures.ts'
import { readTotals } from './read-totals.ts'
import { addFeeDays } from './seal-totals.ts'

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

/** The totals of each operator, beside the raw rows. */
async function feesByOperator(applicationId: string): Promise<{ shown: unknown; expected: unknown }> {
  const query = totalsQuerySchema.parse({ dates: 'always' })
  const { operators } = await readTotals(database.pool, inUtc(applicationId), query, new Date())
  const { rows } = await database.pool.query<{ operator: string; system: bigint; app: bigint }>(
    `select operator, sum(fee_system_minor)::bigint as system, sum(fee_app_minor)::bigint as app from transactions
      where application_id = $1 and status = 'SUCCESS' group by operator`,
    [applicationId],
  )
  return {
    shown: new Map(operators.filter(({ fees }) => fees?.system !== '0').map(({ operator, fees }) => [operator, fees])),
    expected: new Map(rows.map(({ operator, system, app }) => [operator, { system: formatMinor(system), app: formatMinor(app) }])),
  }
}

async function feesOf(applicationId: string, type: string | null, from?: string, to?: string): Promise<string> {
  const query = totalsQuerySchema.parse({ dates: 'always', ...(type ? { type } : {}), ...(from ? { from } : {}), ...(to ? { to } : {}) })
  const { money } = await readTotals(database.pool, inUtc(applicationId), query, new Date())
  return money.reduce((sum, { now }) => {
    assert.ok(now.fees)
    return addDecimals(sum, addDecimals(now.fees.system, now.fees.app))
  }, '0')
}

test('the same fees, of each operator too, before, between and after two additions of what succeeded, for both directions', async () => {
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
      const { shown, expected } = await feesByOperator(applicationId)
      assert.deepEqual(shown, expected)
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
  assert.ok(failed.money.every(({ now }) => now.fees?.system === '0' && now.fees.app === '0'))
})

test('null for fees while more transactions wait for their sum than a page adds, every other figure at once; then the fees', async () => {
  const applicationId = await makeApplication(database.pool)
  await liveThrough(database.pool, applicationId, createRandom(21), 20)
  const read = async () => (await readTotals(database.pool, inUtc(applicationId), totalsQuerySchema.parse({}), new Date())).money
  const known = await read()
  const markAt = (behind: bigint) =>
    database.pool.query(
      `insert into fee_marks (application_id, added_until) select application_id, success_count - $2 from application_counters where application_id = $1
         on conflict (application_id) do update set added_until = excluded.added_until`,
      [applicationId, behind],
    )
  await markAt(LATE_MAX)
  assert.deepEqual(await read(), known)
  await markAt(LATE_MAX + 1n)
  const without = known.map(({ currency, now, before }) => ({
    currency,
    now: { ...now, fees: null },
    before: before && { ...before, fees: null },
  }))
  assert.deepEqual(await read(), without)
})

test('the fees of exactly the days of a range, whether it begins and ends inside months or between them', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query(
    `with days as (select current_date - n as day, n from generate_series(0, 800, 3) as n),
          fees as (insert into fee_days (application_id, day, operator, type, fee_system_minor, fee_app_minor)
                     select $1, day, o, 'COLLECT', 100 * (1 + n % 17), 100 * (n % 5) from days, unnest(array['OMCM', 'UGMTN']) as o)
       insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
         select $1, day, o, 'COLLECT', 'SUCCESS', 1, 700 from days, unnest(array['OMCM', 'UGMTN']) as o`,
    [applicationId],
  )
  await database.pool.query(
    'update fee_days set fee_app_minor = fee_app_minor + 300 where application_id = $1 and day > current_date - 400',
    [applicationId],
  )
  const day = async (text: string) => (await database.pool.query<{ day: string }>(`select (${text})::date as day`)).rows[0]?.day
  const month = (back: number) => day(`date_trunc('month', current_date) - interval '${back} months'`)
  for (const [from, to] of [
    [undefined, undefined],
    ['0001-01-01', '9999-12-31'],
    [await day('current_date - 700'), await day('current_date - 31')],
    [await day('current_date - 20'), await day('current_date - 3')],
    [await month(9), await day(`'${await month(4)}'::date - 1`)],
    [await month(9), await month(4)],
    [await day(`'${await month(9)}'::date - 1`), await month(8)],
    [await month(2), await month(2)],
    [await month(5), undefined],
  ]) {
    const { rows } = await database.pool.query<{ sum: bigint }>(
      `select coalesce(sum(fee_system_minor + fee_app_minor), 0) as sum from fee_days where application_id = $1
         and day between coalesce($2::date, '-infinity') and coalesce($3::date, 'infinity')`,
      [applicationId, from, to],
    )
    assert.equal(await feesOf(applicationId, null, from, to), formatMinor(rows[0]?.sum ?? 0n), `${from} to ${to}`)
  }
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
