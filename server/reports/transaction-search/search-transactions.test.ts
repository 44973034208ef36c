import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import {
  FAILURE_MESSAGES,
  FAILURE_REASONS,
  type FailureReason,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '#lib/payments/transactions/transaction-status.ts'
import { filteredOperators, type TransactionFilter, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import { listTransactions } from '#server/reports/partner-lists/list-for-partner-store.ts'
import { sealTotals } from '#server/reports/totals/seal-totals.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTransactionList, searchTransactions } from './search-transactions.ts'

let database: TestDatabase
let applicationId: string
let all: Transaction[]
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await seed()
  all = (await listTransactions(database.pool, applicationId, { page: 0, size: 1000 })).rows
})
after(() => database.drop())

const MAKER = randomUUID()
/** Those that the filter knows, and one that it does not. */
const MESSAGES = [...Object.values(FAILURE_MESSAGES), 'Erreur 500']

const DATED =
  "update transactions set created_at = timestamptz '2021-03-01 05:00Z' + (sequence / 20) * interval '10 days' + sequence * interval '1 second' where application_id = $1"

/** 240 transactions over four months with holes between their days; of the first two months nothing is open, so they are sealed. */
async function seed(): Promise<void> {
  for (let n = 0; n < 240; n++) {
    const operator = OPERATOR_CODES[(n * 7) % 13] ?? 'OMCM'
    const isOld = n < 139
    const item = anIntakeItem(applicationId, {
      operator,
      type: n % 3 === 0 ? 'DEPOSIT' : 'COLLECT',
      amountMinor: BigInt(((n * 37) % 90) + 1) * 100n,
      customerName: n % 5 === 0 ? 'Awa_Traoré 50%' : 'Paul Etame',
      phoneNumber: `${OPERATORS[operator].country.dialCode}67000${n % 8}${n % 2}00`,
      bands: !isOld && n % 4 === 3 ? [aBand()] : null,
      ...(n % 7 === 0 ? { source: 'person', makerId: MAKER, actor: { kind: 'person', id: MAKER } } : {}),
    })
    await takeIn(database.pool, [item])
    const succeeds = n % 4 === 1 && item.type === 'COLLECT'
    if (n % 4 === 0 || (isOld && !succeeds))
      await transition(database.pool, [{ ...item, event: 'failed', actor: SYSTEM_ACTOR, message: MESSAGES[n % MESSAGES.length] ?? '' }])
    if (succeeds) await transition(database.pool, [{ ...item, event: 'succeeded', actor: SYSTEM_ACTOR }])
  }
  await database.pool.query(DATED, [applicationId])
  await database.pool.query('delete from transaction_days where application_id = $1', [applicationId])
  await database.pool.query(
    `insert into transaction_days select application_id, (created_at at time zone 'UTC')::date, operator, type, status, count(*), sum(amount_minor)
     from transactions where application_id = $1 group by 1, 2, 3, 4, 5`,
    [applicationId],
  )
  await database.pool.query(
    `insert into transaction_day_marks select application_id, transaction_count, success_count, failed_count from application_counters
     where application_id = $1`,
    [applicationId],
  )
  await sealTotals(database.pool)
  const { rows } = await database.pool.query('select distinct month::text from sealed_operator_months order by 1')
  assert.deepEqual(
    rows.map((row) => row.month),
    ['2021-03-01', '2021-04-01'],
  )
}

function reasonOf({ message }: Transaction): FailureReason {
  return FAILURE_REASONS.find((reason) => reason !== 'other' && FAILURE_MESSAGES[reason] === message) ?? 'other'
}

function oracle(filter: TransactionFilter): Transaction[] {
  const operators = filteredOperators(filter)
  const fitting = all.filter(
    (one) =>
      (filter.status.length === 0 || filter.status.includes(one.status)) &&
      (filter.type.length === 0 || filter.type.includes(one.type)) &&
      (!operators || operators.includes(one.operator)) &&
      (!filter.from || utcDayOf(one.createdAt) >= filter.from) &&
      (!filter.to || utcDayOf(one.createdAt) <= filter.to) &&
      (filter.min === null || one.amountMinor >= filter.min) &&
      (filter.max === null || one.amountMinor <= filter.max) &&
      (filter.maker === null || one.makerId === (filter.maker === 'api' ? null : filter.maker)) &&
      (filter.reason.length === 0 || (one.status === 'FAILED' && filter.reason.includes(reasonOf(one)))) &&
      one.phoneNumber.startsWith(filter.phone) &&
      one.customerName.toLowerCase().includes(filter.name.toLowerCase()),
  )
  const sign = filter.sort === 'amount-asc' ? 1 : -1
  if (filter.sort === 'oldest') return fitting.toReversed()
  if (filter.sort === 'newest') return fitting
  return fitting.toSorted((left, right) =>
    left.amountMinor === right.amountMinor ? Number(right.sequence - left.sequence) : sign * Number(left.amountMinor - right.amountMinor),
  )
}

const few = <const Values extends readonly string[]>(values: Values) =>
  fc.subarray([...values], { maxLength: Math.min(3, values.length) }).map((chosen) => chosen.join(','))
const day = fc.integer({ min: 0, max: 130 }).map((n) => addDays('2021-02-25', n))
const address = fc.record(
  {
    status: few(TRANSACTION_STATUSES),
    type: few(TRANSACTION_TYPES),
    operator: few(OPERATOR_CODES),
    country: few(COUNTRY_NAMES),
    currency: few(CURRENCIES),
    reason: few(FAILURE_REASONS),
    maker: fc.constantFrom(MAKER, 'api'),
    from: day,
    to: day,
    min: fc.integer({ min: 1, max: 90 }).map(String),
    max: fc.integer({ min: 1, max: 90 }).map(String),
    phone: fc.constantFrom('237', '22167', '+237 67000'),
    name: fc.constantFrom('awa', 'PAUL', '_', '%', '50%'),
    sort: fc.constantFrom('newest', 'oldest', 'amount-desc', 'amount-asc'),
    page: fc.integer({ min: 1, max: 5 }).map(String),
    size: fc.constantFrom('25', '50'),
  },
  { requiredKeys: [] },
)

test('rows, count and sums equal a selection by hand for any filter, order and page, across sealed and open months', async () => {
  await fc.assert(
    fc.asyncProperty(address, async (query) => {
      const filter = transactionFilterSchema.parse(query)
      const expected = oracle(filter)
      const found = await searchTransactions(database.pool, inUtc(applicationId), filter)
      const begin = filter.page * filter.size
      assert.deepEqual(
        found.rows.map((row) => row.sequence),
        expected.slice(begin, begin + filter.size).map((row) => row.sequence),
      )
      assert.equal(found.total, BigInt(expected.length))
      assert.equal(
        found.sums.reduce((total, sum) => total + sum.count, 0n),
        found.total,
      )
      for (const sum of found.sums) {
        const amounts = expected
          .filter((row) => row.currency === sum.currency && row.type === sum.type && row.status === sum.status)
          .map((row) => row.amountMinor)
        assert.deepEqual([sum.count, sum.amountMinor], [BigInt(amounts.length), amounts.reduce((total, one) => total + one, 0n)])
      }
    }),
    { numRuns: 150 },
  )
})

test('the sum of the fees in the head of a list is that of its succeeded rows, whether roll-ups counted them or rows did', async () => {
  for (const narrowed of [{}, { name: 'awa' }]) {
    const filter = transactionFilterSchema.parse({ status: 'SUCCESS', fees: '1', size: '50', ...narrowed })
    const expected = oracle(filter)
    const { sums } = await readTransactionList(database.pool, inUtc(applicationId), filter)
    assert.ok(sums.length > 1)
    for (const { currency, type, fees } of sums) {
      const own = expected.filter((row) => row.currency === currency && row.type === type)
      assert.equal(fees, formatMinor(own.reduce((total, row) => total + row.feeSystemMinor + row.feeAppMinor, 0n)))
    }
    assert.ok(sums.some(({ fees }) => fees !== '0'))
  }
})

test('searchedBackTo is the day at which a search stopped, and nothing since that day is missing', async () => {
  for (const scanMax of [1n, 30n, 70n, 110n, 150n, 190n, 239n, 240n]) {
    const filter = transactionFilterSchema.parse({ name: 'paul', size: '100' })
    const found = await searchTransactions(database.pool, inUtc(applicationId), filter, scanMax)
    const searched = all.filter((one) => found.searchedBackTo === null || utcDayOf(one.createdAt) >= found.searchedBackTo)
    assert.equal(found.searchedBackTo === null, scanMax === 240n, `${scanMax}`)
    const dayOf = (one: Transaction | undefined) => one && utcDayOf(one.createdAt)
    const dayBefore = all[searched.length]
    // One day at least, and no day more that would have fitted.
    assert.ok(BigInt(searched.length) <= scanMax || dayOf(searched.at(-1)) === dayOf(searched[0]))
    const withDayBefore = all.filter((one) => dayBefore && utcDayOf(one.createdAt) >= utcDayOf(dayBefore.createdAt))
    assert.ok(!dayBefore || BigInt(withDayBefore.length) > scanMax)
    const paul = searched.filter((one) => one.customerName === 'Paul Etame')
    assert.equal(found.total, BigInt(paul.length))
    assert.deepEqual(
      found.rows.map((row) => row.sequence),
      paul.slice(0, 100).map((one) => one.sequence),
    )
  }
})
