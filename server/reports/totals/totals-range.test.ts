import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listBehindPeriod } from '#lib/finance/finance-address.ts'
import { addDecimals } from '#lib/money/money.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { readTotals } from './read-totals.ts'
import { sealTotals } from './seal-totals.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const NOW = new Date('2026-11-21T12:00:00Z')
const EVERYTHING = totalsQuerySchema.parse({ from: '0001-01-01', to: '9999-12-31' })
/** As much as a chart, its table and the response that carries them may hold. */
const PERIODS_MAX = 120
const RESPONSE_BYTES_MAX = 64 * 1024

/** An application with something on every nth day from `first` on, in all three currencies; with the exact sum of what succeeded. */
async function applicationSince(first: string, everyDays: number): Promise<{ applicationId: string; succeeded: string }> {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select $1, day, o.operator, 'COLLECT', s.status, 3, 9007199254740993
         from generate_series($2::date, $3::date, $4 * interval '1 day') as day, unnest(array['OMCM', 'BFOM', 'UGMTN']) as o (operator),
              unnest(array['SUCCESS', 'FAILED']) as s (status)`,
    [applicationId, first, NOW, everyDays],
  )
  const { rows } = await database.pool.query<{ total: string }>(
    `select trim_scale(sum(amount_minor) * 0.01)::text as total from transaction_days where application_id = $1 and status = 'SUCCESS'`,
    [applicationId],
  )
  return { applicationId, succeeded: rows[0]?.total ?? '' }
}

test('a small and exact response to the years 1 to 9999 over days, years or centuries of transactions', async () => {
  for (const [first, everyDays, step] of [
    ['2026-11-20', 1, 'day'],
    ['2026-09-01', 7, 'day'],
    ['2023-02-27', 1, 'month'],
    ['1990-06-15', 5, 'year'],
    ['0001-01-01', 400, 'year'],
  ] as const) {
    const { applicationId, succeeded } = await applicationSince(first, everyDays)
    for (const isSealed of [false, true]) {
      if (isSealed) await sealTotals(database.pool)
      const totals = await readTotals(database.pool, inUtc(applicationId), EVERYTHING, NOW)
      assert.equal(totals.step, step, `since ${first}`)
      assert.equal(totals.charts.length, 3)
      for (const { periods } of totals.charts) assert.ok(periods.length <= PERIODS_MAX, `${periods.length} periods since ${first}`)
      assert.ok(JSON.stringify(totals).length < RESPONSE_BYTES_MAX)
      assert.equal(
        totals.money.map(({ now }) => now.collects.amount).reduce((sum, amount) => addDecimals(sum, amount), '0'),
        succeeded,
      )
      assert.equal(totals.apiTotal, succeeded)
      if (first === '0001-01-01') continue
      const drawn = totals.charts.flatMap(({ periods }) => periods.map((period) => period.collects))
      assert.equal(
        drawn.reduce((sum, amount) => addDecimals(sum, amount), '0'),
        succeeded,
        'the chart holds all of it',
      )
    }
  }
})

test('a response to an open range, a range in the future and a day of the year 1', async () => {
  const { applicationId } = await applicationSince('2026-11-20', 1)
  for (const query of [
    { dates: 'always' },
    { from: '0001-01-01' },
    { to: '9999-12-31' },
    { from: '9999-12-31', to: '9999-12-31' },
    { from: '0001-01-01', to: '0001-01-01' },
  ]) {
    const totals = await readTotals(database.pool, inUtc(applicationId), totalsQuerySchema.parse(query), NOW)
    assert.ok(
      totals.charts.every(({ periods }) => periods.length <= 3),
      JSON.stringify(query),
    )
  }
  const empty = await readTotals(database.pool, inUtc(await makeApplication(database.pool)), EVERYTHING, NOW)
  assert.deepEqual(empty.charts, [])
})

test('every day of a range of up to a hundred, also those without a transaction', async () => {
  const { applicationId } = await applicationSince('2026-11-20', 1)
  const totals = await readTotals(
    database.pool,
    inUtc(applicationId),
    totalsQuerySchema.parse({ from: '2026-11-01', to: '2026-11-30' }),
    NOW,
  )
  assert.deepEqual([totals.step, totals.charts[0]?.periods.length, totals.charts[0]?.periods[0]?.period], ['day', 21, '2026-11-01'])
})

test('the list behind a year has the days of that year within the range', () => {
  const part = { period: '2001', currency: 'XAF' } as const
  const linkOf = (range: { from: string | null; to: string | null }) => {
    const { from, to } = listBehindPeriod({ status: 'SUCCESS', type: null, operator: [] }, range, part)
    return [from, to]
  }
  assert.deepEqual(linkOf({ from: null, to: null }), ['2001-01-01', '2001-12-31'])
  assert.deepEqual(linkOf({ from: '2001-05-06', to: '2001-07-08' }), ['2001-05-06', '2001-07-08'])
})
