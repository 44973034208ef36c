import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { addDecimals } from '#lib/add-decimals.ts'
import { countriesOf, listBehind, listBehindPeriod } from '#lib/finance-address.ts'
import { LINE_FILTERS, type StatementDto, type StatementLine } from '#lib/finance-dto.ts'
import { formatMinor } from '#lib/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { toQuery } from '#lib/paths.ts'
import { ok } from '#lib/result.ts'
import { totalsQuerySchema } from '#lib/schemas/finance-query.ts'
import { transactionFilterSchema } from '#lib/schemas/transaction-filter.ts'
import { addDays } from '#lib/total-dates.ts'
import { withTransaction } from '../database/with-transaction.ts'
import { repairLedgerDays, sealLedgerDays } from '../ledger/seal-ledger-days.ts'
import { setBalanceThreshold } from '../ledger/set-balance-threshold.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '../testing/factories.ts'
import { takeIn } from '../transactions/intake.ts'
import { transition } from '../transactions/transition.ts'
import { readBalances } from './read-balances.ts'
import { readOverview } from './read-overview.ts'
import { readStatement, readStatementLines, type StatementRequest } from './read-statement.ts'
import { readTotals } from './read-totals.ts'
import { sealTotals } from './seal-totals.ts'
import { totalByRange, totalOfApplication } from './total-amounts.ts'
import { readTransactionList } from './transaction-list.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** A repeatable stream of numbers below `limit`. */
function randomFrom(seed: number) {
  let state = seed
  return (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
}

const SOME_OPERATORS: OperatorCode[] = ['MOMOCM', 'SNWAVE', 'UGMTN']

/** Collects and deposits in every state, made by the real commands. */
async function liveThrough(applicationId: string, random: (limit: number) => number, count: number): Promise<void> {
  const items = Array.from({ length: count }, () => {
    const operator = SOME_OPERATORS[random(SOME_OPERATORS.length)] ?? 'MOMOCM'
    return anIntakeItem(applicationId, {
      operator,
      type: random(2) === 0 ? 'COLLECT' : 'DEPOSIT',
      amountMinor: BigInt(100 + random(900_000)),
    })
  })
  await takeIn(database.pool, items)
  for (const item of items) {
    const fate = random(4)
    if (fate === 0) continue
    const event = fate === 1 ? ('failed' as const) : ('succeeded' as const)
    await withTransaction(database.pool, async (trx) =>
      ok(
        await transition(trx, [
          { applicationId, transactionId: item.transactionId, event, message: 'test', actor: { kind: 'operator', id: null } },
        ]),
      ),
    )
  }
}

/** The postings as a plain program adds them up: the oracle. */
async function addUpPostings(applicationId: string, operator: OperatorCode, from: string, to: string) {
  const { rows } = await database.pool.query<{ day: string; kind: string; c: bigint; d: bigint; h: bigint; f: bigint; l: bigint }>(
    `select (at at time zone 'UTC')::date as day, kind, collect_minor as c, deposit_minor as d, held_minor as h, fees_minor + revenue_minor as f,
       clearing_minor as l from ledger_postings where application_id = $1 and operator = $2`,
    [applicationId, operator],
  )
  const within = rows.filter((row) => row.day >= from && row.day <= to)
  const sum = (some: typeof rows, of: (row: (typeof rows)[number]) => bigint) => some.reduce((total, row) => total + of(row), 0n)
  const total = (row: (typeof rows)[number]) => row.c + row.d + row.h
  return {
    opening: sum(
      rows.filter((row) => row.day < from),
      total,
    ),
    closing: sum(
      rows.filter((row) => row.day <= to),
      total,
    ),
    collected: sum(
      within.filter((row) => row.kind === 'settle' && row.l < 0n),
      (row) => -row.l,
    ),
    paid: sum(
      within.filter((row) => row.kind === 'settle' && row.l > 0n),
      (row) => row.l,
    ),
    fees: sum(
      within.filter((row) => row.kind === 'settle'),
      (row) => row.f,
    ),
    funded: sum(
      within.filter((row) => row.kind === 'fund'),
      (row) => row.d,
    ),
    count: within.length,
  }
}

/** Spreads what was posted over the last days, as time would have: each step of the history keeps its order. */
async function spreadOverDays(applicationId: string, days: number): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query('alter table ledger_postings disable trigger user')
    await client.query(
      `update ledger_postings p set at = now() - (n.total - n.place) * ($2 * interval '1 day') / n.total
       from (select subject_id, kind, row_number() over (order by at, subject_id) as place, count(*) over () as total
             from ledger_postings where application_id = $1) n
       where p.application_id = $1 and p.subject_id = n.subject_id and p.kind = n.kind`,
      [applicationId, days],
    )
  } finally {
    await client.query('alter table ledger_postings enable always trigger refuse_change')
    await client.query('alter table ledger_postings enable always trigger refuse_truncate')
    client.release()
  }
}

const MOVEMENTS = { hold: 'placed', release: 'released', collect: 'collected', pay: 'paid', fund: 'funded', correct: 'corrected' } as const

/** The lines behind each figure are those of its kind among all, and add up to it. */
async function checkMovements(request: StatementRequest, { movements }: StatementDto, all: readonly StatementLine[]): Promise<void> {
  for (const kind of LINE_FILTERS) {
    const expected = all.filter((line) => (kind === 'fees' ? line.fees !== '0' : line.kind === kind)).map((line) => line.id)
    const found: string[] = []
    for (let page = 1; page === 1 || found.length < expected.length; page++) {
      const part = await readStatementLines(database.pool, { ...request, kind, page, size: 7 })
      assert.equal(part.sum, kind === 'fees' ? movements.fees : movements[MOVEMENTS[kind]])
      assert.equal(part.total, expected.length)
      found.push(...part.lines.map((line) => line.id))
      if (part.lines.length === 0) break
    }
    assert.deepEqual(found, expected)
  }
}

async function checkStatements(applicationId: string, now: Date, ranges: readonly { from: string; to: string }[]): Promise<void> {
  for (const operator of SOME_OPERATORS)
    for (const range of ranges) {
      const request = { applicationId, operator, filter: { dates: 'thisMonth' as const, ...range }, now }
      const statement = await readStatement(database.pool, request)
      const truth = await addUpPostings(applicationId, operator, range.from, range.to)
      assert.equal(statement.opening.total, formatMinor(truth.opening))
      assert.equal(statement.closing.total, formatMinor(truth.closing))
      assert.equal(statement.movements.collected, formatMinor(truth.collected))
      assert.equal(statement.movements.paid, formatMinor(truth.paid))
      assert.equal(statement.movements.fees, formatMinor(truth.fees))
      assert.equal(statement.movements.funded, formatMinor(truth.funded))
      assert.equal(truth.opening + truth.collected + truth.funded - truth.paid - truth.fees, truth.closing)
      assert.equal(statement.agrees, true)
      const lines = []
      for (let page = 1; ; page++) {
        const part = await readStatementLines(database.pool, { ...request, kind: null, page, size: 7 })
        assert.equal(part.total, truth.count)
        lines.push(...part.lines)
        if (lines.length >= part.total) break
      }
      assert.equal(new Set(lines.map((line) => line.id)).size, truth.count)
      await checkMovements(request, statement, lines)
      assert.deepEqual(
        lines.map((line) => line.at),
        lines.map((line) => line.at).toSorted(),
      )
    }
}

test('opening, movements and closing of every statement are those of the postings, whether sealed, half sealed or not at all', async () => {
  for (const seed of [1, 2, 3]) {
    const random = randomFrom(seed)
    const applicationId = await makeApplication(database.pool)
    for (const operator of SOME_OPERATORS) await fund(database.pool, applicationId, operator, BigInt(1_000_000 + random(9_000_000)))
    await liveThrough(applicationId, random, 40)
    await spreadOverDays(applicationId, 12)
    const now = new Date()
    const today = now.toISOString().slice(0, 10)
    const ranges = [
      { from: addDays(today, -30), to: today },
      { from: addDays(today, -6), to: addDays(today, -2) },
      { from: today, to: today },
      { from: addDays(today, -40), to: addDays(today, -35) },
    ]
    await checkStatements(applicationId, now, ranges)
    await database.pool.query(`update ledger_seal set sealed_until = '-infinity'`)
    await database.pool.query('truncate ledger_days')
    // A day and a half behind: the job is late.
    await sealLedgerDays(database.pool, 36 * 3_600_000)
    await checkStatements(applicationId, now, ranges)
    await liveThrough(applicationId, random, 10)
    await sealLedgerDays(database.pool, 0)
    await sealLedgerDays(database.pool, 0)
    await checkStatements(applicationId, new Date(), ranges)
    const { cards } = await readBalances(database.pool, applicationId, new Date())
    for (const card of cards.filter(({ operator }) => SOME_OPERATORS.includes(operator)))
      assert.equal(card.trend.at(-1), Number(card.deposit))
  }
})

test('postings that are under way while the days are sealed are never lost', async () => {
  const applicationId = await makeApplication(database.pool)
  const open = await database.pool.connect()
  try {
    await open.query('begin')
    await open.query('select 1 from application_counters where application_id = $1 for no key update', [applicationId])
    await open.query(
      `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, at)
       values ($1, $2, 'fund', 'MOMOCM', 'XAF', 500, -500, clock_timestamp())`,
      [applicationId, randomUUID()],
    )
    await sealLedgerDays(database.pool, 0)
    await open.query(
      `update ledger_balances set deposit_minor = 500, clearing_minor = -500 where application_id = $1 and operator = 'MOMOCM'`,
      [applicationId],
    )
    await open.query('commit')
  } finally {
    open.release()
  }
  await sealLedgerDays(database.pool, 0)
  const { rows } = await database.pool.query('select deposit_minor from ledger_days where application_id = $1', [applicationId])
  assert.deepEqual(rows, [{ deposit_minor: 500n }])
})

test('postings loaded behind the seal are shown right at once, and the days are repaired', async () => {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'SNWAVE', 700_000n)
  await sealLedgerDays(database.pool, 0)
  await spreadOverDays(applicationId, 3)
  await database.pool.query('delete from ledger_days where application_id = $1', [applicationId])
  await database.pool.query(`update ledger_seal set sealed_until = now()`)
  const today = new Date().toISOString().slice(0, 10)
  const request = {
    applicationId,
    operator: 'SNWAVE' as const,
    filter: { dates: 'today' as const, from: addDays(today, -5), to: today },
    now: new Date(),
  }
  const statement = await readStatement(database.pool, request)
  assert.equal(statement.closing.total, '7000')
  assert.equal(statement.agrees, true)
  assert.ok((await repairLedgerDays(database.pool)).includes(applicationId))
  assert.deepEqual(await repairLedgerDays(database.pool), [])
})

test('a balance is low below its threshold, since the last time it went below', async () => {
  const applicationId = await makeApplication(database.pool)
  const finance = await makePerson(database.pool, applicationId, ['finance'])
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const spend = (amountMinor: bigint) =>
    takeIn(database.pool, [anIntakeItem(applicationId, { amountMinor, feeSystemMinor: 0n, feeAppMinor: 0n })])
  const actor = { kind: 'person' as const, id: finance, applicationId, roles: ['finance' as const] }
  const card = async () => {
    const { cards } = await readBalances(database.pool, applicationId, new Date())
    return cards.find(({ operator }) => operator === 'MOMOCM')
  }
  assert.deepEqual(
    await setBalanceThreshold(database.pool, { applicationId, operator: 'MOMOCM', thresholdMinor: 600_000n, actor }),
    ok(null),
  )
  assert.equal((await card())?.isLow, false)
  await spend(500_000n)
  await fund(database.pool, applicationId, 'MOMOCM', 200_000n)
  assert.equal((await card())?.isLow, false)
  await spend(200_000n)
  const { rows } = await database.pool.query<{ at: Date }>('select max(at) as at from ledger_postings where application_id = $1', [
    applicationId,
  ])
  await spend(100_000n)
  for (const isSealed of [false, true]) {
    if (isSealed) await sealLedgerDays(database.pool, 0)
    const low = await card()
    assert.equal(low?.isLow, true)
    assert.equal(low?.lowSince, rows[0]?.at.toISOString())
  }
  const checker = { ...actor, roles: ['checker' as const] }
  const refused = await setBalanceThreshold(database.pool, { applicationId, operator: 'MOMOCM', thresholdMinor: null, actor: checker })
  assert.equal(refused.ok, false)
  await setBalanceThreshold(database.pool, { applicationId, operator: 'MOMOCM', thresholdMinor: null, actor })
  assert.equal((await card())?.isLow, false)
  const { rows: audit } = await database.pool.query<{ action: string }>(
    'select action from audit_entries where application_id = $1 order by sequence',
    [applicationId],
  )
  assert.deepEqual(
    audit.map((row) => row.action),
    ['balance_threshold.set', 'balance_threshold.removed'],
  )
})

test('totals are the API’s to the last digit, and the list behind each figure adds up to it', async () => {
  const applicationId = await makeApplication(database.pool)
  for (const operator of SOME_OPERATORS) await fund(database.pool, applicationId, operator, 900_000_000n)
  await liveThrough(applicationId, randomFrom(7), 60)
  const now = new Date()
  const today = now.toISOString().slice(0, 10)
  const list = async (address: string) =>
    readTransactionList(database.pool, applicationId, transactionFilterSchema.parse(Object.fromEntries(new URLSearchParams(address))))
  for (const status of ['SUCCESS', 'FAILED', 'PENDING', 'ALL']) {
    const query = totalsQuerySchema.parse({ status, dates: status === 'ALL' ? 'always' : 'thisMonth' })
    const totals = await readTotals(database.pool, applicationId, query, now)
    const api =
      query.status === 'ALL'
        ? await totalOfApplication(database.pool, applicationId)
        : await totalByRange(database.pool, applicationId, {
            startDay: totals.from ?? today,
            endDay: totals.to ?? today,
            status: query.status,
          })
    assert.equal(totals.apiTotal, formatMinor(api))
    for (const card of totals.cards) {
      const { total, sums } = await list(toQuery(listBehind(query, totals, { currency: card.currency })))
      assert.equal(total, card.count)
      assert.equal(sums[0]?.amount ?? '0', card.amount)
    }
    for (const row of totals.operators) {
      const { total, sums } = await list(toQuery(listBehind(query, totals, { operator: row.operator })))
      assert.equal(total, row.count)
      assert.equal(sums[0]?.amount ?? '0', row.amount)
    }
    for (const { currency, periods } of totals.charts)
      for (const period of periods)
        for (const [status, amount, count] of [
          ['SUCCESS', period.success, period.successCount],
          ['FAILED', period.failed, period.failedCount],
          [['SUCCESS', 'FAILED'], addDecimals(period.success, period.failed), period.successCount + period.failedCount],
        ] as const) {
          const { total, sums } = await list(toQuery(listBehindPeriod(query, totals, { period: period.period, currency, status })))
          assert.deepEqual([total, sums[0]?.amount ?? '0'], [count, amount])
        }
  }
  const narrow = await readTotals(database.pool, applicationId, totalsQuerySchema.parse({ operator: 'SNWAVE', type: 'COLLECT' }), now)
  assert.equal(narrow.apiTotal, null)
  assert.deepEqual(
    narrow.operators.map((row) => row.operator),
    ['SNWAVE'],
  )
})

test('sealed months change no total, whatever the range, the type and the operators', async () => {
  const applicationId = await makeApplication(database.pool)
  const random = randomFrom(11)
  for (let day = 0; day < 400; day += 1 + random(4))
    await database.pool.query(
      `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       values ($1, (now() at time zone 'UTC')::date - $2::integer, $3, $4, $5, $6, $7) on conflict do nothing`,
      [
        applicationId,
        day,
        SOME_OPERATORS[random(3)],
        random(2) === 0 ? 'COLLECT' : 'DEPOSIT',
        day < 30 && random(3) === 0 ? 'PENDING' : random(4) === 0 ? 'FAILED' : 'SUCCESS',
        1 + random(9),
        100 + random(90_000),
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
  const readAll = () => Promise.all(asked.map((query) => readTotals(database.pool, applicationId, query, now)))
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
      const address = toQuery(listBehindPeriod(query, totals, { period: part.period, currency: part.currency, status: 'SUCCESS' }))
      const filter = transactionFilterSchema.parse(Object.fromEntries(new URLSearchParams(address)))
      const { total, sums } = await readTransactionList(database.pool, applicationId, filter)
      assert.deepEqual(
        [total, sums[0]?.amount ?? '0'],
        [part.successCount, part.success],
        `${part.period} of ${totals.from} to ${totals.to}`,
      )
    }
  }
  assert.ok(before.some((totals) => totals.step === 'month' && totals.from !== null && !totals.from.endsWith('-01')))
})

test('unconfirmed money stands in its age and currency, and the list behind each figure adds up to it', async () => {
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
  const reader = { applicationId, personId: randomUUID(), roles: ['finance' as const] }
  const overview = await readOverview(database.pool, reader, 30, new Date())
  assert.equal(overview.waiting, null)
  assert.deepEqual(
    overview.unconfirmed.map((each) => [each.currency, each.count]),
    [
      ['XAF', 5],
      ['XOF', 5],
      ['UGX', 5],
    ],
  )
  for (const { currency, buckets } of overview.unconfirmed) {
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
        applicationId,
        transactionFilterSchema.parse(Object.fromEntries(new URLSearchParams(address))),
      )
      assert.equal(found.total, bucket.count)
      assert.equal(found.sums[0]?.amount, bucket.amount)
    }
  }
})

test('an application without a single transaction has thirteen calm cards and empty pages', async () => {
  const applicationId = await makeApplication(database.pool)
  const now = new Date()
  const balances = await readBalances(database.pool, applicationId, now)
  assert.deepEqual(
    balances.cards.map((card) => card.operator),
    OPERATOR_CODES,
  )
  assert.ok(
    balances.cards.every((card) => card.deposit === '0' && !card.isLow && card.currency === OPERATORS[card.operator].country.currency),
  )
  assert.deepEqual((await readTotals(database.pool, applicationId, totalsQuerySchema.parse({}), now)).operators, [])
  const request = { applicationId, operator: 'OMCM' as const, filter: { dates: 'always' as const, from: null, to: null }, now }
  assert.equal((await readStatement(database.pool, request)).closing.total, '0')
})
