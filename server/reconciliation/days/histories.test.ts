import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatMinor, parseMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow, WAVE_COLLECT_HEADER } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { listLargestDifferences } from './difference-store.ts'
import { readKeptSums } from './kept-sums.ts'
import { readDays } from './read-days.ts'
import { composeTie } from './read-tie.ts'

type Book = { wallet: string; operator: OperatorCode; zoneMs: number; print: (row: Row, zoneMs: number) => string[]; header: string[] }

/** A book whose amounts are gross, with the fee beside them, and one whose amounts are net; their days begin at other instants. */
const BOOKS: readonly Book[] = [
  { wallet: 'MOMOCM-collect', operator: 'MOMOCM', zoneMs: 3_600_000, print: printGross, header: MTN_HEADER },
  { wallet: 'SNWAVE', operator: 'SNWAVE', zoneMs: 0, print: printNet, header: WAVE_COLLECT_HEADER },
]
const today = utcDayOf(new Date())

/** The operator's line for one of our payments, or without one. */
const PRINTED = ['once', 'never', 'twice', 'failed', 'late', 'less', 'by operator id', 'by phone'] as const
const payment = fc.record({
  status: fc.constantFrom('succeeded', 'failed', null),
  printed: fc.constantFrom(...PRINTED),
  /** Few amounts and few customers, so that twins are common. */
  amount: fc.constantFrom(100, 500, 5_000),
  customer: fc.integer({ min: 1, max: 3 }),
  fee: fc.constantFrom(0, 5),
})
const stranger = fc.record({
  type: fc.constantFrom('Debit', 'Fee', 'Reversal', 'Commission', 'Tax'),
  amount: fc.integer({ min: -900, max: 900 }),
})
const history = fc.record({
  book: fc.constantFrom(...BOOKS),
  payments: fc.array(payment, { maxLength: 8 }),
  strangers: fc.array(
    stranger.filter(({ amount }) => amount !== 0),
    { maxLength: 4 },
  ),
  /** The lines are shuffled, and come in this many files, each of which overlaps the one before. */
  order: fc.infiniteStream(fc.nat()),
  files: fc.integer({ min: 1, max: 3 }),
})

type Row = { id: string; at: Date; amount: number; fee: number; ourId: string; phone: string; status: string; type: string }

function wallTime(at: Date, zoneMs: number): string {
  return new Date(at.getTime() + zoneMs).toISOString().slice(0, 19).replace('T', ' ')
}

function printGross({ id, at, amount, fee, ourId, phone, status, type }: Row, zoneMs: number): string[] {
  return mtnRow({
    Id: id,
    'External id': ourId,
    Date: wallTime(at, zoneMs),
    Status: status,
    Type: type,
    From: amount > 0 ? `FRI:${phone}/MSISDN` : 'FRI:237670000009/MSISDN',
    To: amount > 0 ? 'FRI:237670000009/MSISDN' : `FRI:${phone}/MSISDN`,
    [amount > 0 ? 'To / Fee' : 'From / Fee']: fee === 0 ? '' : String(fee),
    Amount: String(amount),
  })
}

function printNet({ id, at, amount, fee, ourId, phone, type }: Row, zoneMs: number): string[] {
  const kind = type === 'Debit' ? 'merchant_payment' : `merchant_${type.toLowerCase()}`
  return [wallTime(at, zoneMs), id, kind, String(amount - fee), String(fee), 'XOF', `+${phone}`, ourId, '', '', '']
}

type Payment = { status: 'succeeded' | 'failed' | null; printed: (typeof PRINTED)[number]; amount: number; customer: number; fee: number }

async function pay(at: Desk, { operator }: Book, { status, printed, amount, customer, fee }: Payment): Promise<Row[]> {
  const phone = `${OPERATORS[operator].country.dialCode}77700000${customer}`
  const id = randomUUID().slice(0, 13)
  const reference = printed === 'by operator id' ? { reference: id } : {}
  const item = await at.pay({
    operator,
    type: 'COLLECT',
    amountMinor: BigInt(amount) * 100n,
    phoneNumber: phone,
    event: status,
    ...reference,
  })
  const row: Row = { id, at: new Date(), amount, fee, ourId: item.transactionId, phone, status: 'Successful', type: 'Debit' }
  switch (printed) {
    case 'never':
      return []
    case 'twice':
      return [row, { ...row, id: `${id}2` }]
    case 'failed':
      // Wave prints no payment that failed.
      return operator === 'SNWAVE' ? [] : [{ ...row, status: 'Failed' }]
    case 'late':
      return [{ ...row, at: new Date(row.at.getTime() - 24 * 3_600_000) }]
    case 'less':
      return [{ ...row, amount: amount - 50 }]
    case 'once':
      return [row]
    default:
      return [{ ...row, ourId: '' }]
  }
}

/** The days on which lines or postings of these histories can be. */
async function readAround(at: Desk, { wallet: id }: Book) {
  const wallet = await readWallet(at.pool, at.applicationId, id)
  assert.ok(wallet)
  const scope = { applicationId: at.applicationId, wallet, from: addDays(today, -2), to: addDays(today, 2) }
  const days = await readDays(at.pool, scope)
  assert.deepEqual(await readDays(at.pool, scope, readKeptSums), days, 'the kept sums are those of the rows')
  return days
}

/** The sum of the lines and transactions that are listed as the difference of a day. */
async function sumListed({ pool, applicationId }: Desk, { wallet: id }: Book, day: string): Promise<string> {
  const wallet = (await readWallet(pool, applicationId, id)) ?? assert.fail()
  const parts = await listLargestDifferences(pool, { applicationId, wallet, from: day, to: day }, 10_000)
  return formatMinor(parts.reduce((sum, { minor }) => sum + minor, 0n))
}

/** An independent sum of what the operator moved and of what we booked, in the ledger and in the wallet book, straight from the rows. */
async function sumRows({ pool }: Desk, { wallet, operator }: Book) {
  const { rows } = await pool.query<{ theirs: bigint; ours: bigint; lines: number }>(
    `select (select coalesce(sum(net_minor), 0)::bigint from statement_lines where wallet = $1) as theirs,
            (select coalesce(-sum(clearing_minor), 0)::bigint from ledger_postings where kind = 'settle' and operator = $2)
              + (select coalesce(sum(wallet_minor), 0)::bigint from wallet_postings where wallet = $1) as ours,
            (select count(*)::integer from statement_lines where wallet = $1) as lines`,
    [wallet, operator],
  )
  return rows[0] ?? { theirs: 0n, ours: 0n, lines: 0 }
}

type History = { book: Book; payments: Payment[]; strangers: { type: string; amount: number }[]; order: Iterator<number>; files: number }

/** Makes the payments of a history, and returns the operator's lines of it. */
async function live(at: Desk, { book, payments, strangers }: History): Promise<Row[]> {
  const rows: Row[] = []
  for (const each of payments) rows.push(...(await pay(at, book, each)))
  for (const { type, amount } of strangers) {
    const phone = `${OPERATORS[book.operator].country.dialCode}799999999`
    rows.push({ id: randomUUID().slice(0, 13), at: new Date(), amount, fee: 0, ourId: '', phone, status: 'Successful', type })
  }
  return rows
}

function shuffle(rows: Row[], order: Iterator<number>): Row[] {
  const keys = new Map(rows.map((row) => [row, Number(order.next().value ?? 0)]))
  return rows.toSorted((left, right) => (keys.get(left) ?? 0) - (keys.get(right) ?? 0))
}

const bring = async (at: Desk, { wallet, header, print, zoneMs }: Book, rows: readonly Row[]) => {
  if (rows.length > 0) await at.bring(wallet, csv([header, ...rows.map((row) => print(row, zoneMs))]))
}

/** How many histories; in the long run 10,000. */
const RUNS = Number(process.env['HISTORIES'] ?? 15)
/**
 * The seed of the first database's histories; each further database has the next. A long run goes on where it was stopped, and a failure is
 * repeated with the seed that it names. Other histories in each run without it.
 */
const SEED_FROM = process.env['HISTORIES_SEED'] === undefined ? undefined : Number(process.env['HISTORIES_SEED'])
/** A database has those of a busy day, and is then as slow as at the beginning. */
const RUNS_PER_DATABASE = 25

/** Checks a property over histories, with some databases at a time. */
async function assertOver(
  databases: number,
  runs: number,
  check: (given: History, desks: readonly Desk[]) => Promise<void>,
): Promise<void> {
  for (let left = runs, seed = SEED_FROM; left > 0; left -= RUNS_PER_DATABASE) {
    const opened = await Promise.all(Array.from({ length: databases }, () => createTestDatabase()))
    try {
      const desks = await Promise.all(opened.map(({ pool }) => createDesk(pool)))
      const property = fc.asyncProperty(history, (given) => check(given, desks))
      await fc.assert(property, { numRuns: Math.min(left, RUNS_PER_DATABASE), ...(seed !== undefined && { seed: seed++ }) })
    } finally {
      await Promise.all(opened.map((each) => each.drop()))
    }
  }
}

test('over random histories every line is in one class, the classes add up to the lines, and nothing is unexplained', async () => {
  await assertOver(1, RUNS, async (given, [desk = assert.fail()]) => {
    const { book, order, files } = given
    const shuffled = shuffle(await live(desk, given), order)
    const size = Math.max(1, Math.ceil(shuffled.length / files))
    // Half of each file is in the next one too.
    for (let at = 0; at < shuffled.length; at += size)
      await bring(desk, book, shuffled.slice(Math.max(0, at - Math.floor(size / 2)), at + size))
    const days = await readAround(desk, book)
    const found = await sumRows(desk, book)
    for (const { day, unexplained } of days) assert.equal(unexplained, '0', day)
    for (const compared of days) {
      const before = { carriedMinor: 700n, closingMinor: 90_000n }
      const tie = composeTie({ compared: { ...compared, isCovered: true }, reported: null, before })
      const moved = [...compared.classes, { amount: compared.fees }].reduce((sum, { amount }) => sum + parseMinor(amount), 0n)
      assert.deepEqual([tie.closing, tie.unexplained], [formatMinor(90_000n + moved), '0'])
      assert.equal(tie.difference, formatMinor(700n + parseMinor(compared.difference)))
    }
    for (const { day, difference } of days) assert.equal(await sumListed(desk, book, day), difference, day)
    const movement = days.reduce((sum, { difference }) => sum + Math.round(Number(difference) * 100), 0)
    assert.equal(BigInt(movement), found.theirs - found.ours)
    const { rows: doubled } = await desk.pool.query(
      `select 1 from line_matches group by application_id, line_id, part having count(*) > 1
       union all select 1 from line_matches where ordinal = 0 group by matched_application_id, transaction_id, effect having count(*) > 1`,
    )
    assert.deepEqual(doubled, [])
    const booked = ['success_failed_there', 'success_absent_there', 'in_transit', 'funding', 'adjusted']
    const classed = days.flatMap(({ terms }) => terms).filter(({ class: name }) => !booked.includes(name) && !name.startsWith('book_'))
    assert.equal(
      classed.reduce((sum, { count }) => sum + count, 0),
      found.lines,
    )
  })
})

test('the same classes and sums in whatever order a file has its rows', async () => {
  await assertOver(2, Math.ceil(RUNS / 2), async (given, [left = assert.fail(), right = assert.fail()]) => {
    await bring(left, given.book, await live(left, given))
    await bring(right, given.book, shuffle(await live(right, given), given.order))
    assert.deepEqual(await readAround(right, given.book), await readAround(left, given.book))
  })
})
