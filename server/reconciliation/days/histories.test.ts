import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { formatMinor } from '#lib/money/money.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { listLargestDifferences } from './difference-store.ts'
import { readDays } from './read-days.ts'

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database.drop())

const WALLET = 'MOMOCM-collect'
const ZONE_MS = 3_600_000
const today = utcDayOf(new Date(Date.now() + ZONE_MS))

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

const printRow = ({ id, at, amount, fee, ourId, phone, status, type }: Row) =>
  mtnRow({
    Id: id,
    'External id': ourId,
    Date: new Date(at.getTime() + ZONE_MS).toISOString().slice(0, 19).replace('T', ' '),
    Status: status,
    Type: type,
    From: amount > 0 ? `FRI:${phone}/MSISDN` : 'FRI:237670000009/MSISDN',
    To: amount > 0 ? 'FRI:237670000009/MSISDN' : `FRI:${phone}/MSISDN`,
    [amount > 0 ? 'To / Fee' : 'From / Fee']: fee === 0 ? '' : String(fee),
    Amount: String(amount),
  })

type Payment = { status: 'succeeded' | 'failed' | null; printed: (typeof PRINTED)[number]; amount: number; customer: number; fee: number }

async function pay({ status, printed, amount, customer, fee }: Payment): Promise<Row[]> {
  const phone = `23767700000${customer}`
  const id = randomUUID().slice(0, 13)
  const reference = printed === 'by operator id' ? { reference: id } : {}
  const item = await desk.pay({
    operator: 'MOMOCM',
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
      return [{ ...row, status: 'Failed' }]
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

/** Both days on which lines or postings of these histories can be. */
async function readBoth() {
  const wallet = await readWallet(desk.pool, desk.applicationId, WALLET)
  assert.ok(wallet)
  return readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: addDays(today, -1), to: addDays(today, 1) })
}

/** The sum of the lines and transactions that are listed as the difference of a day. */
async function sumListed(day: string): Promise<string> {
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail()
  const parts = await listLargestDifferences(desk.pool, { applicationId: desk.applicationId, wallet, from: day, to: day }, 1_000)
  return formatMinor(parts.reduce((sum, { minor }) => sum + minor, 0n))
}

/** An independent sum of what the operator moved and of what we booked, in the ledger and in the wallet book, straight from the rows. */
async function sumRows() {
  const { rows } = await desk.pool.query<{ theirs: bigint; ours: bigint; lines: number }>(
    `select (select coalesce(sum(net_minor), 0)::bigint from statement_lines) as theirs,
            (select coalesce(-sum(clearing_minor), 0)::bigint from ledger_postings where kind = 'settle' and operator = 'MOMOCM')
              + (select coalesce(sum(wallet_minor), 0)::bigint from wallet_postings) as ours,
            (select count(*)::integer from statement_lines) as lines`,
  )
  return rows[0] ?? { theirs: 0n, ours: 0n, lines: 0 }
}

test('over random histories every line is in one class, the classes add up to the lines, and nothing is unexplained', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ payments, strangers, order, files }) => {
      const rows: Row[] = []
      for (const each of payments) rows.push(...(await pay(each)))
      for (const { type, amount } of strangers)
        rows.push({
          id: randomUUID().slice(0, 13),
          at: new Date(),
          amount,
          fee: 0,
          ourId: '',
          phone: '237699999999',
          status: 'Successful',
          type,
        })
      const keys = new Map(rows.map((row) => [row, order.next().value ?? 0]))
      const shuffled = rows.toSorted((left, right) => (keys.get(left) ?? 0) - (keys.get(right) ?? 0))
      const size = Math.max(1, Math.ceil(shuffled.length / files))
      for (let at = 0; at < shuffled.length; at += size) {
        // Half of each file is in the next one too.
        const part = shuffled.slice(Math.max(0, at - Math.floor(size / 2)), at + size)
        await desk.bring(WALLET, csv([MTN_HEADER, ...part.map(printRow)]))
      }
      const days = await readBoth()
      const found = await sumRows()
      for (const { day, unexplained } of days) assert.equal(unexplained, '0', day)
      for (const { day, difference } of days) assert.equal(await sumListed(day), difference, day)
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
    }),
    { numRuns: Number(process.env['HISTORIES'] ?? 15) },
  )
})
