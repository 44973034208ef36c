import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { LINE_FILTERS, type StatementDto, type StatementLine } from '#lib/finance/finance-dto.ts'
import { addDecimals, formatMinor } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { ok } from '#lib/result.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { addDays } from '#lib/time/time.ts'
import { repairLedgerDays, sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { setBalanceThreshold } from '#server/ledger/set-balance-threshold.ts'
import { liveThrough, SOME_OPERATORS } from '#server/reports/testing.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { addsUp, ZERO_SUMS } from './day-ledger.ts'
import { readBalances } from './read-balances.ts'
import { readStatement } from './read-statement.ts'
import { readStatementLines } from './read-statement-lines.ts'
import type { StatementRequest } from './statement-periods.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

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

const MOVEMENTS = {
  hold: 'placed',
  release: 'released',
  collect: 'collected',
  pay: 'paid',
  fund: 'funded',
  correct: 'corrected',
  withdraw: 'withdrawn',
  adjust: 'adjusted',
} as const

/** The lines behind each figure are those of its kind among all, and add up to it. */
async function checkMovements(request: StatementRequest, { movements }: StatementDto, all: readonly StatementLine[]): Promise<void> {
  for (const kind of LINE_FILTERS) {
    const expected = all.filter((line) => (kind === 'fees' ? line.fees !== '0' : line.kind === kind)).map((line) => line.id)
    const found: string[] = []
    for (let page = 0; page === 0 || found.length < expected.length; page++) {
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
      const statement = await readStatement(database.pool, { ...request, businessZone: 'UTC' })
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
      for (let page = 0; ; page++) {
        const part = await readStatementLines(database.pool, { businessZone: 'UTC', ...request, kind: null, page, size: 7 })
        assert.equal(part.total, truth.count)
        lines.push(...part.lines)
        if (lines.length >= part.total) break
      }
      assert.equal(new Set(lines.map((line) => line.id)).size, truth.count)
      await checkMovements({ ...request, businessZone: 'UTC' }, statement, lines)
      let running = statement.opening.total
      for (const line of lines) {
        running = [line.collect, line.deposit, line.held].reduce(addDecimals, running)
        assert.equal(line.balance, running)
      }
      assert.equal(running, statement.closing.total)
      assert.deepEqual(
        lines.map((line) => line.at),
        lines.map((line) => line.at).toSorted(),
      )
    }
}

test('opening, movements and closing equal the postings, whether all, some or none of them are sealed', async () => {
  for (const seed of [1, 2]) {
    const random = createRandom(seed)
    const applicationId = await makeApplication(database.pool)
    for (const operator of SOME_OPERATORS) await fund(database.pool, applicationId, operator, BigInt(random.between(1_000_000, 9_999_999)))
    await liveThrough(database.pool, applicationId, random, 40)
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
    await liveThrough(database.pool, applicationId, random, 10)
    await sealLedgerDays(database.pool, 0)
    await sealLedgerDays(database.pool, 0)
    await checkStatements(applicationId, new Date(), ranges)
    const { cards } = await readBalances(database.pool, inUtc(applicationId), new Date())
    for (const card of cards.filter(({ operator }) => SOME_OPERATORS.includes(operator)))
      assert.equal(card.trend.at(-1), Number(card.deposit))
  }
})

test("a line with its transaction's amount, phone number, external id and operator reference", async () => {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'MOMOCM' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event: 'succeeded', message: 'x', operatorReference: '4711', actor: SYSTEM_ACTOR }])
  const asked = { applicationId, businessZone: 'UTC', operator: 'MOMOCM', filter: { dates: 'always', from: null, to: null } } as const
  const { lines } = await readStatementLines(database.pool, { ...asked, now: new Date(), kind: null, page: 0 })
  assert.deepEqual(
    lines.map(({ amount, phoneNumber, externalId, operatorReference }) => ({ amount, phoneNumber, externalId, operatorReference })),
    [{ amount: '5000', phoneNumber: item.phoneNumber, externalId: item.externalId, operatorReference: '4711' }],
  )
})

test('no posting is lost that is in progress while the days are sealed', async () => {
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

test('no sum is believed from which the collect, the deposit or the held balance differs', () => {
  const balance = { operator: 'MOMOCM', collectMinor: 1n, depositMinor: 2n, heldMinor: 3n, earnedFeesMinor: 0n } as const
  const all = { ...ZERO_SUMS, collectMinor: 1n, depositMinor: 2n, heldMinor: 3n }
  const isBelieved = (before: typeof all) => addsUp({ balance, before, days: [], after: ZERO_SUMS })
  assert.equal(isBelieved(all), true)
  for (const one of ['collectMinor', 'depositMinor', 'heldMinor']) assert.equal(isBelieved({ ...all, [one]: 7n }), false, one)
})

test('exact figures immediately after postings of the past were loaded, and repaired days after the task', async () => {
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
  const statement = await readStatement(database.pool, { ...request, businessZone: 'UTC' })
  assert.equal(statement.closing.total, '7000')
  assert.equal(statement.agrees, true)
  assert.ok((await repairLedgerDays(database.pool)).includes(applicationId))
  assert.deepEqual(await repairLedgerDays(database.pool), [])
})

test('sealed up to the oldest of two database transactions that write, and to one that is prepared', async () => {
  const { pool } = database
  const [older, newer] = [await pool.connect(), await pool.connect()]
  const sealedUntil = async () => {
    await sealLedgerDays(pool, 0)
    const { rows } = await pool.query<{ at: Date }>('select sealed_until as at from ledger_seal')
    return rows[0]?.at.getTime() ?? Number.NaN
  }
  const begin = async (trx: typeof older) => {
    await trx.query('begin')
    // The time is that of the beginning: the transaction id comes with the first write.
    const { rows } = await trx.query<{ at: Date }>('select now() as at, pg_current_xact_id()')
    return rows[0]?.at.getTime() ?? Number.NaN
  }
  try {
    const at = await begin(older)
    await begin(newer)
    assert.ok((await sealedUntil()) <= at)
    await newer.query('commit')
    await older.query("prepare transaction 'a payment of another node'")
    const { rows } = await pool.query<{ at: Date }>('select prepared as at from pg_prepared_xacts where database = current_database()')
    assert.ok((await sealedUntil()) <= (rows[0]?.at.getTime() ?? 0))
    await pool.query("commit prepared 'a payment of another node'")
    assert.ok((await sealedUntil()) > (rows[0]?.at.getTime() ?? 0))
  } finally {
    older.release()
    newer.release()
  }
})

test('isLow below the threshold, since the last time the balance went below it', async () => {
  const applicationId = await makeApplication(database.pool)
  const finance = await makePerson(database.pool, applicationId, ['finance'])
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const spend = (amountMinor: bigint) =>
    takeIn(database.pool, [anIntakeItem(applicationId, { amountMinor, feeSystemMinor: 0n, feeAppMinor: 0n })])
  const actor = { kind: 'person' as const, id: finance, applicationId, roles: ['finance' as const] }
  const card = async () => {
    const { cards } = await readBalances(database.pool, inUtc(applicationId), new Date())
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

test('the highest deposit balance of a day in all its seals together, where what was posted at one instant happened together', async () => {
  const { pool } = database
  const peakOf = async (applicationId: string) => {
    await sealLedgerDays(pool, 0)
    const { rows } = await pool.query<{ peak: bigint }>(
      'select max(deposit_peak_minor) as peak from ledger_days where application_id = $1',
      [applicationId],
    )
    return rows[0]?.peak
  }
  const rising = await makeApplication(pool)
  await fund(pool, rising, 'MOMOCM', 500_000n)
  assert.equal(await peakOf(rising), 500_000n)
  await fund(pool, rising, 'MOMOCM', 400_000n)
  await takeIn(pool, [anIntakeItem(rising, { amountMinor: 600_000n, feeSystemMinor: 0n, feeAppMinor: 0n })])
  assert.equal(await peakOf(rising), 900_000n)
  const together = await makeApplication(pool)
  await pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, held_minor, clearing_minor, at)
       select $1, gen_random_uuid(), kind, 'MOMOCM', 'XAF', deposit, held, clearing, now()
         from (values ('fund', 100, 0, -100), ('hold', -100, 100, 0)) as p (kind, deposit, held, clearing)`,
    [together],
  )
  assert.equal(await peakOf(together), 0n)
})
