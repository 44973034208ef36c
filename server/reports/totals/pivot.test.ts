import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PIVOT_DIMENSIONS, PIVOT_MEASURES, type PivotDto, type PivotTable } from '#lib/finance/pivot.ts'
import { listBehindPivot, type PivotPlace } from '#lib/finance/pivot-address.ts'
import { parseMinor } from '#lib/money/money.ts'
import { toQuery } from '#lib/pages/paths.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { type PivotFilter, pivotQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { readTransactionList } from '#server/reports/transaction-search/search-transactions.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication } from '#server/testing/factories.ts'
import { LATE_MAX } from './money-figures.ts'
import { readPivot } from './read-pivot.ts'
import { addFeeDays, addTransactionDays } from './seal-totals.ts'

const NOW = new Date()

let database: TestDatabase
let lived: string
before(async () => {
  database = await createTestDatabase()
  lived = await makeApplication(database.pool)
  for (const operator of SOME_OPERATORS) await fund(database.pool, lived, operator, 900_000_000n)
  await liveThrough(database.pool, lived, createRandom(11), 60)
})
after(() => database.drop())

const filterOf = (query: Record<string, string>) => pivotQuerySchema.parse({ dates: 'always', status: 'ALL', ...query })
const read = (filter: PivotFilter, zone = inUtc(lived)) => readPivot(database.pool, zone, filter, NOW)

type Figure = { place: PivotPlace; figure: string }

/** Every figure of the tables with the groups that it is of, totals included. */
function figuresOf({ tables }: PivotDto, { rows, columns }: PivotFilter): Figure[] {
  return tables.flatMap((table) => {
    const of = (figure: string | null, place: PivotPlace) => (figure === null ? [] : [{ figure, place: { ...apartOf(table), ...place } }])
    const ofRow = (name: string) => ({ [rows]: name })
    const ofColumn = (name: string) => (columns === null ? {} : { [columns]: name })
    return [
      ...table.cells.flatMap((cells, line) =>
        cells.flatMap((cell, place) => of(cell, { ...ofRow(table.rows[line] ?? ''), ...ofColumn(table.columns[place] ?? '') })),
      ),
      ...table.rowTotals.flatMap((total, line) => of(total, ofRow(table.rows[line] ?? ''))),
      ...table.columnTotals.flatMap((total, place) => of(total, ofColumn(table.columns[place] ?? ''))),
      ...of(table.total, {}),
    ]
  })
}

function apartOf({ currency, direction }: PivotTable): PivotPlace {
  return { ...(currency && { currency }), ...(direction && { direction }) }
}

/** The figure that the list behind it adds up to, from the raw rows of its filter. */
async function addUpList(filter: PivotFilter, dto: PivotDto, place: PivotPlace): Promise<bigint> {
  const address = Object.fromEntries(new URLSearchParams(toQuery(listBehindPivot(filter, dto, place))))
  const list = await readTransactionList(database.pool, inUtc(lived), transactionFilterSchema.parse({ ...address, size: '100' }))
  if (filter.measure === 'count') return BigInt(list.total ?? -1)
  const ids = list.rows.map((row) => row.transactionId)
  assert.equal(new Set(list.rows.map((row) => row.currency)).size, 1, 'one currency')
  const { rows } = await database.pool.query<{ amount: bigint; fees: bigint; net: bigint; directions: bigint }>(
    `select sum(amount_minor)::bigint as amount, sum(fee_system_minor + fee_app_minor)::bigint as fees, count(distinct type) as directions,
            sum(case type when 'COLLECT' then amount_minor else -amount_minor end)::bigint as net
       from transactions where transaction_id = any ($1::uuid[])`,
    [ids],
  )
  const [sums] = rows
  assert.ok(sums)
  if (filter.measure === 'amount') assert.equal(sums.directions, 1n, 'collects and deposits are not added together')
  return sums[filter.measure]
}

for (const measure of PIVOT_MEASURES)
  test(`the ${measure} of every cell and total is what its list adds up to, for every choice of rows and columns`, async () => {
    for (const isAdded of [false, true]) {
      if (isAdded) await Promise.all([addFeeDays(database.pool), addTransactionDays(database.pool)])
      let compared = 0
      for (const rows of PIVOT_DIMENSIONS)
        for (const columns of [null, ...PIVOT_DIMENSIONS]) {
          const filter = filterOf({ rows, measure, ...(columns && { columns }) })
          const dto = await read(filter)
          const figures = figuresOf(dto, { ...filter, columns: columns === rows ? null : columns })
          // A sample of each: all of them are thousands of lists.
          for (const { figure, place } of figures.filter((_, at) => at % 12 === compared % 12)) {
            const expected = await addUpList(filter, dto, place)
            const shown = measure === 'count' ? BigInt(figure) : signedMinor(figure)
            assert.equal(shown, expected, `${rows} by ${columns}: ${JSON.stringify(place)}`)
            compared++
          }
        }
      assert.ok(compared > 20, `${compared} figures`)
    }
  })

function signedMinor(text: string): bigint {
  return text.startsWith('-') ? -parseMinor(text.slice(1)) : parseMinor(text)
}

test('one table per currency and direction for amounts, and no total over currencies that are columns', async () => {
  const apart = await read(filterOf({ rows: 'month' }))
  assert.deepEqual(
    apart.tables.map(({ currency, direction }) => `${currency} ${direction}`),
    ['XAF COLLECT', 'XAF DEPOSIT', 'XOF COLLECT', 'XOF DEPOSIT', 'UGX COLLECT', 'UGX DEPOSIT'],
  )
  const [table, ...others] = (await read(filterOf({ rows: 'direction', columns: 'currency' }))).tables
  assert.deepEqual(others, [])
  assert.deepEqual([table?.total, table?.rowTotals, table?.columnTotals], [null, [null, null], [null, null, null]])
  assert.ok(table?.cells.flat().every((cell) => cell !== null))
  const [net] = (await read(filterOf({ rows: 'direction', columns: 'currency', measure: 'net' }))).tables
  assert.equal(net?.columnTotals.includes(null), false)
  assert.deepEqual(net?.rowTotals, [null, null])
})

test('the same fees whatever the filter of the status, because only what succeeded has any', async () => {
  const feesOf = (status: string) => read(filterOf({ rows: 'status', measure: 'fees', status }))
  const all = await feesOf('ALL')
  assert.deepEqual(
    all.tables.map(({ rows }) => rows),
    [['SUCCESS'], ['SUCCESS'], ['SUCCESS']],
  )
  assert.deepEqual(await feesOf('FAILED'), all)
})

test('the days of the business zone, on both sides of midnight', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       values ($1, '2026-11-03', 'OMCM', 'COLLECT', 'SUCCESS', 5, 50000)`,
    [applicationId],
  )
  await database.pool.query(
    `insert into transaction_day_edges (application_id, time_zone, day, business_day, operator, type, status, transaction_count, amount_minor,
                                        fee_system_minor, fee_app_minor)
       values ($1, 'Africa/Kampala', '2026-11-03', '2026-11-04', 'OMCM', 'COLLECT', 'SUCCESS', 2, 20000, 300, 100)`,
    [applicationId],
  )
  await database.pool.query(
    `insert into fee_days (application_id, day, operator, type, fee_system_minor, fee_app_minor) values ($1, '2026-11-03', 'OMCM', 'COLLECT', 700, 200)`,
    [applicationId],
  )
  const linesIn = async (businessZone: string, query: Record<string, string>) => {
    const { tables } = await read(filterOf({ rows: 'day', ...query }), { applicationId, businessZone })
    return tables.flatMap((table) => table.rows.map((day, place) => [day, table.rowTotals[place]]))
  }
  assert.deepEqual(await linesIn('UTC', {}), [['2026-11-03', '500']])
  const kampala = [
    ['2026-11-03', '300'],
    ['2026-11-04', '200'],
  ]
  assert.deepEqual(await linesIn('Africa/Kampala', {}), kampala)
  assert.deepEqual(await linesIn('Africa/Kampala', { from: '2026-11-04', to: '2026-11-04' }), kampala.slice(1))
  assert.deepEqual(await linesIn('Africa/Kampala', { measure: 'fees' }), [
    ['2026-11-03', '5'],
    ['2026-11-04', '4'],
  ])
})

test('too_many_days, too_many_months: more than 100 days or 120 months with transactions between them, and no table', async () => {
  const applicationId = await makeApplication(database.pool)
  await database.pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select $1, day, 'OMCM', 'COLLECT', 'SUCCESS', 1, 9007199254740993 from unnest(array['2010-01-01', '2026-01-01']::date[]) as day`,
    [applicationId],
  )
  const problemOf = async (query: Record<string, string>) => (await read(filterOf(query), inUtc(applicationId))).problem
  assert.equal(await problemOf({ rows: 'day' }), 'too_many_days')
  assert.equal(await problemOf({ rows: 'operator', columns: 'day' }), 'too_many_days')
  assert.equal(await problemOf({ rows: 'month' }), 'too_many_months')
  assert.equal(await problemOf({ rows: 'month', from: '2017-01-01', to: '2026-12-31' }), null)
  assert.equal(await problemOf({ rows: 'day', from: '2026-01-01', to: '2026-04-10' }), null)
  assert.equal(await problemOf({ rows: 'day', from: '2026-01-01', to: '2026-04-11' }), 'too_many_days')
  const { tables } = await read(filterOf({}), inUtc(applicationId))
  assert.equal(tables[0]?.total, '180143985094819.86')
})

test('fees_later while more transactions wait for their fees than a page adds; other figures at once', async () => {
  const applicationId = await makeApplication(database.pool)
  await liveThrough(database.pool, applicationId, createRandom(21), 20)
  await database.pool.query(
    'insert into fee_marks (application_id, added_until) select $1, success_count - $2 from application_counters where application_id = $1',
    [applicationId, LATE_MAX + 1n],
  )
  for (const rows of ['operator', 'day']) {
    assert.equal((await read(filterOf({ rows, measure: 'fees' }), inUtc(applicationId))).problem, 'fees_later')
    assert.equal((await read(filterOf({ rows }), inUtc(applicationId))).problem, null)
  }
})
