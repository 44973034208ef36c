import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, type DayRange } from '#lib/time/time.ts'
import { repairLedgerDays, sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { walkStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { SOME_OPERATORS } from '#server/reports/testing.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'
import { searchTransactions } from '#server/reports/transaction-search/search-transactions.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { inSimulatedTime } from '#server/testing/simulated-time.ts'
import { takeIn } from '#server/transactions/intake.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { transition } from '#server/transactions/transition.ts'
import { listTransactions, totalByRange } from '../partner-lists/list-for-partner-store.ts'
import { addFeeDays, sealTotals } from '../totals/seal-totals.ts'
import { beginZone, countEdges } from './day-zone-store.ts'
import { countZone } from './set-time-zone.ts'

/** From eleven hours behind UTC to fourteen ahead, half and quarter hours, and clocks that are set back at midnight, at two and by half an hour. */
const EARLY_ZONES = ['Africa/Douala', 'Pacific/Pago_Pago', 'Asia/Kolkata', 'America/New_York', 'Africa/Cairo', 'Africa/Abidjan']
const LATE_ZONES = ['Africa/Kampala', 'Pacific/Kiritimati', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe', 'Atlantic/Azores']
const ZONES = ['UTC', ...EARLY_ZONES, ...LATE_ZONES]

/** September and October are sealed; clocks are set back around the end of October. */
const FIRST = '2025-08-25'
const LAST = '2025-11-20'
const OPEN_FROM = '2025-11-01'
const NOW = new Date('2025-11-20T22:30:00Z')
const COUNT = 700

let database: TestDatabase
let applicationId: string
let all: Transaction[]
before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  applicationId = await makeApplication(database.pool)
  await seed()
  all = (await listTransactions(database.pool, applicationId, { page: 0, size: 1_000 })).rows
  assert.equal(all.length, COUNT)
})
after(() => database.drop())

/** Instants in order, most of them within a few seconds of a quarter of an hour, where days begin in some zone. */
function instants(): Date[] {
  const random = createRandom(7)
  const [begin, end] = [Date.parse(`${FIRST}T00:00:00Z`), Date.parse(`${LAST}T22:00:00Z`)]
  const quarterMs = 900_000
  return Array.from({ length: COUNT }, () => {
    const ms = begin + Math.floor((random.between(0, 1_000_000) / 1_000_000) * (end - begin))
    return random.chance(0.7) ? Math.round(ms / quarterMs) * quarterMs + random.pick([-1, 0, 0, 1_000]) : ms
  })
    .sort((left, right) => left - right)
    .map((ms) => new Date(ms))
}

/**
 * A life of an application by the real statements: zones are started before, in the middle and at the end, and counted in slices in
 * between.
 */
async function seed(): Promise<void> {
  const { pool } = database
  const random = createRandom(11)
  for (const operator of SOME_OPERATORS) await fund(pool, applicationId, operator, 10_000_000_00n)
  for (const zone of EARLY_ZONES) await beginZone(pool, applicationId, zone)
  const items = instants().map((at) => ({
    at,
    item: anIntakeItem(applicationId, {
      operator: random.pick(SOME_OPERATORS),
      type: random.chance(0.5) ? 'COLLECT' : 'DEPOSIT',
      amountMinor: BigInt(random.between(1_000, 900_099)),
    }),
  }))
  for (const [part, own] of [items.slice(0, COUNT / 2), items.slice(COUNT / 2)].entries()) {
    await inSimulatedTime(pool, async (trx, setTime) => {
      for (const { at, item } of own) {
        await setTime(at)
        await takeIn(trx, [item])
      }
    })
    if (part === 0) for (const zone of LATE_ZONES) await beginZone(pool, applicationId, zone)
  }
  for (const zone of LATE_ZONES) await countEdges(pool, applicationId, zone, 100)
  for (const { at, item } of items) {
    if (at.toISOString() >= OPEN_FROM && random.chance(0.3)) continue
    const event = random.chance(0.3) ? ('failed' as const) : ('succeeded' as const)
    const move = {
      applicationId,
      transactionId: item.transactionId,
      event,
      message: 'test',
      actor: { kind: 'operator', id: null },
    } as const
    await inSimulatedTime(pool, async (trx, setTime) => {
      await setTime(new Date(at.getTime() + random.between(0, 7_200_000)))
      await transition(trx, [move])
    })
  }
  await sealLedgerDays(pool, 0)
  for (const zone of [...EARLY_ZONES, ...LATE_ZONES]) assert.ok(await countZone(pool, { applicationId, timeZone: zone }))
  await sealTotals(pool)
  await addFeeDays(pool)
  const { rows } = await pool.query('select distinct month::text from sealed_operator_months order by 1')
  assert.ok(rows.length >= 2)
}

const aZone = fc.constantFrom(...ZONES)
const aDay = fc.integer({ min: -1, max: 89 }).map((days) => addDays(FIRST, days))
const aRange = fc.tuple(aDay, aDay).map(([one, other]): DayRange => (one < other ? { from: one, to: other } : { from: other, to: one }))

function within(zone: string, { from, to }: DayRange): Transaction[] {
  return all.filter((row) => dayIn(zone, row.createdAt) >= from && dayIn(zone, row.createdAt) <= to)
}

function amountOf(rows: readonly Transaction[]): string {
  return formatMinor(rows.reduce((sum, row) => sum + row.amountMinor, 0n))
}

test('no difference between the sums of any zone and a recount, however they came into being', async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
})

test('totals, chart, fees and success rates of any days are a recount of the rows, in every zone', async () => {
  const property = fc.asyncProperty(
    aZone,
    aRange,
    fc.constantFrom(...TRANSACTION_STATUSES, 'ALL' as const),
    async (zone, range, status) => {
      const application: BusinessTime = { applicationId, businessZone: zone }
      const totals = await readTotals(database.pool, application, totalsQuerySchema.parse({ ...range, status }), NOW)
      const found = within(zone, range)
      const asked = found.filter((row) => status === 'ALL' || row.status === status)
      for (const currency of CURRENCIES) {
        const own = asked.filter((row) => row.currency === currency)
        const now = totals.money.find((one) => one.currency === currency)?.now
        const of = (type: string) => own.filter((row) => row.type === type)
        assert.deepEqual(
          [now?.collects, now?.deposits].map((sum) => sum ?? { count: 0, amount: '0' }),
          TRANSACTION_TYPES.map((type) => ({ count: of(type).length, amount: amountOf(of(type)) })),
        )
        const fees = status === 'SUCCESS' ? own.reduce((sum, row) => sum + row.feeSystemMinor, 0n) : 0n
        assert.equal(now?.fees?.system ?? '0', formatMinor(fees))
        for (const { period, collects, depositCount } of totals.charts.find((chart) => chart.currency === currency)?.periods ?? []) {
          const ofDay = own.filter((row) => dayIn(zone, row.createdAt).startsWith(period))
          assert.equal(collects, amountOf(ofDay.filter((row) => row.type === 'COLLECT')), period)
          assert.equal(depositCount, ofDay.filter((row) => row.type === 'DEPOSIT').length, period)
        }
        const charted = totals.charts.find((chart) => chart.currency === currency)?.periods ?? []
        assert.equal(
          charted.reduce((count, period) => count + period.collectCount + period.depositCount, 0),
          own.length,
        )
      }
      for (const operator of SOME_OPERATORS) {
        const ended = found.filter((row) => row.operator === operator && row.finalAt !== null)
        const share = totals.operators.find((one) => one.operator === operator)?.share ?? null
        assert.equal(share, ended.length === 0 ? null : ended.filter((row) => row.status === 'SUCCESS').length / ended.length)
      }
    },
  )
  await fc.assert(property, { numRuns: 100 })
})

test('a page of the list of any days is the same page of the rows, in every zone', async () => {
  const aPage = fc.record({ page: fc.integer({ min: 0, max: 4 }), sort: fc.constantFrom('newest' as const, 'oldest' as const) })
  const property = fc.asyncProperty(aZone, aRange, aPage, fc.subarray([...TRANSACTION_STATUSES]), async (zone, range, page, status) => {
    const filter = { ...transactionFilterSchema.parse({}), ...range, ...page, status, size: 25 }
    const found = await searchTransactions(database.pool, { applicationId, businessZone: zone }, filter)
    const fitting = within(zone, range).filter((row) => status.length === 0 || status.includes(row.status))
    const inOrder = page.sort === 'oldest' ? fitting.toReversed() : fitting
    assert.equal(found.total, BigInt(fitting.length))
    assert.deepEqual(
      found.rows.map((row) => row.transactionId),
      inOrder.slice(page.page * 25, page.page * 25 + 25).map((row) => row.transactionId),
    )
    for (const { currency, type, status: own, amountMinor } of found.sums) {
      const rows = fitting.filter((row) => row.currency === currency && row.type === type && row.status === own)
      assert.equal(formatMinor(amountMinor), amountOf(rows))
    }
  })
  // Its page lies in two sealed months.
  const acrossMonths = { from: '2025-08-25', to: '2025-11-01' }
  await fc.assert(property, {
    numRuns: 100,
    examples: [['Africa/Kampala', acrossMonths, { page: 3, sort: 'newest' }, ['PENDING', 'FAILED']]],
  })
})

test('a page that lies in two or more months is the same page of the rows, in both orders and every zone', async () => {
  for (const zone of ZONES) {
    const monthOf = new Map(all.map((row) => [row, dayIn(zone, row.createdAt).slice(0, 7)]))
    for (const sort of ['newest', 'oldest'] as const) {
      const inOrder = sort === 'oldest' ? all.toReversed() : all
      for (const size of [25, 50, 100]) {
        const pages = Array.from({ length: Math.ceil(COUNT / size) }, (_, page) => inOrder.slice(page * size, page * size + size))
        const across = [...pages.entries()].filter(([, rows]) => new Set(rows.map((row) => monthOf.get(row))).size > 1)
        assert.ok(across.length > 0)
        for (const [page, rows] of across) {
          const filter = { ...transactionFilterSchema.parse({}), page, sort, size }
          const found = await searchTransactions(database.pool, { applicationId, businessZone: zone }, filter)
          assert.deepEqual(
            found.rows.map((row) => row.transactionId),
            rows.map((row) => row.transactionId),
            `page ${page} of ${size}, ${sort} first, ${zone}`,
          )
        }
      }
    }
  }
})

test('the days of a statement are its lines by day, and each closing balance is the next opening balance, in every zone', async () => {
  assert.deepEqual(await repairLedgerDays(database.pool), [])
  const property = fc.asyncProperty(aZone, aRange, fc.constantFrom(...SOME_OPERATORS), async (zone, range, operator) => {
    const request = { applicationId, businessZone: zone, operator, filter: { ...range, dates: 'today' as const }, now: NOW }
    const statement = await readStatement(database.pool, request)
    assert.ok(statement.agrees)
    const lines = (await Array.fromAsync(walkStatementLines(database.pool, { ...request, kind: null }, 10_000))).flat()
    const byDay = Map.groupBy(lines, (line) => dayIn(zone, new Date(line.at)))
    assert.deepEqual(
      statement.days.map(({ day, count, closing }) => [day, count, closing.total]),
      [...byDay].map(([day, own]) => [day, own.length, own.at(-1)?.balance]),
    )
    assert.ok([...byDay.keys()].every((day) => day >= range.from && day <= range.to))
    assert.equal(statement.movements.count, lines.length)
    assert.equal(statement.currency, OPERATORS[operator].country.currency)
  })
  await fc.assert(property, { numRuns: 60 })
})

test("the API's total is of UTC days, regardless of the zone of the application", async () => {
  const days = { from: '2025-09-03', to: '2025-10-30' }
  const succeeded = within('UTC', days).filter((row) => row.status === 'SUCCESS')
  const total = await totalByRange(database.pool, applicationId, { startDay: days.from, endDay: days.to, status: 'SUCCESS' })
  assert.equal(formatMinor(total), amountOf(succeeded))
  const ofPage = await readTotals(database.pool, { applicationId, businessZone: 'Africa/Kampala' }, totalsQuerySchema.parse(days), NOW)
  assert.deepEqual([ofPage.apiTotal, ofPage.isApiOfSameDays], [amountOf(succeeded), false])
  const inDakar = await readTotals(database.pool, { applicationId, businessZone: 'Africa/Dakar' }, totalsQuerySchema.parse(days), NOW)
  assert.equal(inDakar.isApiOfSameDays, true)
})
