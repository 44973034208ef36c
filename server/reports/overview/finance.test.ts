import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { countriesOf, drillDownQuery, listBehindPeriod } from '#lib/finance/finance-address.ts'
import { addDecimals, formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { toQuery } from '#lib/pages/paths.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { addDays } from '#lib/time/time.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'
import { sealTotals } from '#server/reports/totals/seal-totals.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { totalByRange, totalOfApplication } from '../partner-lists/list-for-partner-store.ts'
import { readTransactionList } from '../transaction-search/search-transactions.ts'
import { readOverview } from './read-overview.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Of a list in one currency, in and out together. */
function amountOf(sums: readonly { amount: string }[]): string {
  return sums.map((sum) => sum.amount).reduce(addDecimals, '0')
}

test("every total equals the API's to the last digit and the sum of the list behind it", async () => {
  const applicationId = await makeApplication(database.pool)
  for (const operator of SOME_OPERATORS) await fund(database.pool, applicationId, operator, 900_000_000n)
  await liveThrough(database.pool, applicationId, createRandom(7), 60)
  const now = new Date()
  const today = now.toISOString().slice(0, 10)
  const list = async (address: string) =>
    readTransactionList(
      database.pool,
      inUtc(applicationId),
      transactionFilterSchema.parse(Object.fromEntries(new URLSearchParams(address))),
    )
  for (const status of ['SUCCESS', 'FAILED', 'PENDING', 'ALL']) {
    const query = totalsQuerySchema.parse({ status, dates: status === 'ALL' ? 'always' : 'thisMonth' })
    const totals = await readTotals(database.pool, inUtc(applicationId), query, now)
    const api =
      query.status === 'ALL'
        ? await totalOfApplication(database.pool, applicationId)
        : await totalByRange(database.pool, applicationId, {
            startDay: totals.from ?? today,
            endDay: totals.to ?? today,
            status: query.status,
          })
    assert.equal(totals.apiTotal, formatMinor(api))
    for (const { currency, now: figures } of totals.money) {
      for (const [type, sum] of [
        ['COLLECT', figures.collects],
        ['DEPOSIT', figures.deposits],
      ] as const) {
        const { total, sums } = await list(toQuery(drillDownQuery(query, totals, { currency, type })))
        assert.deepEqual([total, amountOf(sums)], [sum.count, sum.amount])
      }
      assert.equal(addDecimals(figures.net, figures.deposits.amount), figures.collects.amount)
    }
    for (const { operator, count, collects, deposits } of totals.operators) {
      assert.equal((await list(toQuery(drillDownQuery(query, totals, { operator })))).total, count)
      for (const [type, amount] of [
        ['COLLECT', collects],
        ['DEPOSIT', deposits],
      ] as const)
        assert.equal(amountOf((await list(toQuery(drillDownQuery(query, totals, { operator, type })))).sums), amount)
    }
    // Of the empty days a few are enough.
    for (const { currency, periods } of totals.charts)
      for (const period of periods.filter((each, place) => each.collectCount + each.depositCount > 0 || place % 7 === 0))
        for (const [type, amount, count] of [
          ['COLLECT', period.collects, period.collectCount],
          ['DEPOSIT', period.deposits, period.depositCount],
        ] as const) {
          const { total, sums } = await list(toQuery(listBehindPeriod(query, totals, { period: period.period, currency, type })))
          assert.deepEqual([total, amountOf(sums)], [count, amount])
        }
  }
  const narrow = await readTotals(
    database.pool,
    inUtc(applicationId),
    totalsQuerySchema.parse({ operator: 'SNWAVE', type: 'COLLECT' }),
    now,
  )
  assert.equal(narrow.apiTotal, null)
  assert.deepEqual(
    narrow.operators.map((row) => row.operator),
    ['SNWAVE'],
  )
})

test('the same totals before and after months are sealed, for any range, type and operators', async () => {
  const applicationId = await makeApplication(database.pool)
  const random = createRandom(11)
  for (let day = 0; day < 400; day += random.between(1, 4))
    await database.pool.query(
      `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       values ($1, (now() at time zone 'UTC')::date - $2::integer, $3, $4, $5, $6, $7) on conflict do nothing`,
      [
        applicationId,
        day,
        random.pick(SOME_OPERATORS),
        random.chance(0.5) ? 'COLLECT' : 'DEPOSIT',
        day < 30 && random.between(0, 2) === 0 ? 'PENDING' : random.between(0, 3) === 0 ? 'FAILED' : 'SUCCESS',
        random.between(1, 9),
        random.between(100, 90_099),
      ],
    )
  const now = new Date()
  const today = now.toISOString().slice(0, 10)
  const asked = [
    { dates: 'always' },
    { dates: 'thisYear', status: 'ALL' },
    { from: addDays(today, -333), to: addDays(today, -17) },
    { from: addDays(today, -200), to: today, type: 'COLLECT', operator: 'SNWAVE,UGMTN', status: 'FAILED' },
    { from: addDays(today, -95), to: addDays(today, -2), status: 'ALL' },
  ].map((query) => totalsQuerySchema.parse(query))
  const readAll = () => Promise.all(asked.map((query) => readTotals(database.pool, inUtc(applicationId), query, now)))
  const before = await readAll()
  await sealTotals(database.pool)
  const { rows } = await database.pool.query('select count(*) as count from sealed_operator_months where application_id = $1', [
    applicationId,
  ])
  assert.ok(rows[0].count > 0n)
  assert.deepEqual(await readAll(), before)
  for (const [place, totals] of before.entries()) {
    const query = asked[place]
    assert.ok(query)
    for (const part of totals.charts.flatMap(({ currency, periods }) => periods.map((period) => ({ ...period, currency })))) {
      const address = toQuery(listBehindPeriod(query, totals, { period: part.period, currency: part.currency, type: 'COLLECT' }))
      const filter = transactionFilterSchema.parse(Object.fromEntries(new URLSearchParams(address)))
      const { total, sums } = await readTransactionList(database.pool, inUtc(applicationId), filter)
      assert.deepEqual([total, amountOf(sums)], [part.collectCount, part.collects], `${part.period} of ${totals.from} to ${totals.to}`)
    }
  }
  assert.ok(before.some((totals) => totals.step === 'month' && totals.from !== null && !totals.from.endsWith('-01')))
})

test('unconfirmed money is counted by age and currency and equals the list behind each figure', async () => {
  const applicationId = await makeApplication(database.pool)
  const ages = [1, 30, 300, 3_000, 4_000]
  const items = ages.flatMap((_, place) =>
    SOME_OPERATORS.map((operator) => anIntakeItem(applicationId, { operator, type: 'COLLECT', amountMinor: BigInt(1_000 + place) })),
  )
  await takeIn(database.pool, items)
  for (const [place, item] of items.entries())
    await database.pool.query(
      `update operator_work set state = 'unconfirmed', unconfirmed_since = now() - $3 * interval '1 minute' where application_id = $1 and transaction_id = $2`,
      [applicationId, item.transactionId, ages[Math.floor(place / SOME_OPERATORS.length)]],
    )
  const reader = { applicationId, id: randomUUID(), hasSecondFactor: true, roles: ['finance' as const] }
  const { finance } = await readOverview(database.pool, { ...reader, businessZone: 'UTC' }, 30, new Date())
  assert.ok(finance)
  assert.deepEqual(
    finance.unconfirmed.map((each) => [each.currency, each.count]),
    [
      ['XAF', 5],
      ['XOF', 5],
      ['UGX', 5],
    ],
  )
  for (const { currency, buckets } of finance.unconfirmed) {
    assert.deepEqual(
      buckets.map((bucket) => bucket.count),
      [1, 1, 1, 2],
    )
    for (const bucket of buckets) {
      const address = toQuery({
        unconfirmed: '1',
        country: countriesOf(currency),
        unconfirmedAfter: bucket.after,
        unconfirmedBefore: bucket.before,
      })
      const found = await readTransactionList(
        database.pool,
        inUtc(applicationId),
        transactionFilterSchema.parse(Object.fromEntries(new URLSearchParams(address))),
      )
      assert.equal(found.total, bucket.count)
      assert.equal(amountOf(found.sums), bucket.amount)
    }
  }
})

test('thirteen cards at zero and empty pages for an application without transactions', async () => {
  const applicationId = await makeApplication(database.pool)
  const now = new Date()
  const balances = await readBalances(database.pool, inUtc(applicationId), now)
  assert.deepEqual(
    balances.cards.map((card) => card.operator),
    OPERATOR_CODES,
  )
  assert.ok(
    balances.cards.every((card) => card.deposit === '0' && !card.isLow && card.currency === OPERATORS[card.operator].country.currency),
  )
  assert.deepEqual((await readTotals(database.pool, inUtc(applicationId), totalsQuerySchema.parse({}), now)).operators, [])
  const request = { applicationId, operator: 'OMCM' as const, filter: { dates: 'always' as const, from: null, to: null }, now }
  assert.equal((await readStatement(database.pool, { ...request, businessZone: 'UTC' })).closing.total, '0')
})
