import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { WalletDayDto } from '#lib/reconciliation/days.ts'
import { ok } from '#lib/result.ts'
import { utcDayOf } from '#lib/time/time.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { listDayItems } from '../days/list-items.ts'
import { readDays } from '../days/read-days.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MOOV_HEADER, ORANGE_BF_HEADER } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { matchByHand, undoMatch } from './match-by-hand.ts'
import { lockMatching } from './match-store.ts'
import { matchRecent } from './match-wallet.ts'
import { pairCandidates } from './pair-candidates.ts'
import { readMatchingRules } from './rules-store.ts'

let database: TestDatabase | undefined
let desk: Desk
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database?.drop())

/** The clock of the statements, which the wallets of Burkina Faso and Mali read as UTC. */
const today = utcDayOf(new Date())
const now = () => new Date().toISOString().slice(0, 19).replace('T', ' ')

type Line = { id: string; amount: number; reference?: string; status?: string; phone?: string }
const bf = ({ id, amount, reference = '', status = 'SUCCESS', phone = '70123456' }: Line) => [
  now(),
  status,
  id,
  '',
  phone,
  reference,
  'MERCHPAY',
  String(Math.abs(amount)),
  amount > 0 ? String(amount) : '',
  amount < 0 ? String(-amount) : '',
  '',
  '',
  '',
  '',
  '',
]
const bfFile = (...lines: Line[]) => csv([ORANGE_BF_HEADER, ...lines.map(bf)])
/** Moov names no id of ours; without an id of its own a line can only be found by phone and amount. */
const moov = ({ id, amount, phone = '70123456' }: Line) => [
  id,
  `\t${now()}`,
  '',
  'Payment',
  'Completed',
  'XOF',
  amount > 0 ? String(amount) : '',
  amount < 0 ? String(-amount) : '',
  '',
  'Pay',
  `223${phone} - X`,
  '',
  '',
]
const moovFile = (...lines: Line[]) => csv([MOOV_HEADER, ...lines.map(moov)])

async function readDay(wallet = 'BFOM'): Promise<WalletDayDto> {
  const [day] = await readDays(desk.pool, await scopeOf(wallet))
  assert.ok(day)
  return day
}

async function scopeOf(id: string) {
  const wallet = await readWallet(desk.pool, desk.applicationId, id)
  assert.ok(wallet)
  return { applicationId: desk.applicationId, wallet, from: today, to: today }
}

/** The classes of a day with their counts, `in_transit` and `funding` left out where a test does not arrange them. */
const counts = ({ terms }: WalletDayDto) => Object.fromEntries(terms.map(({ class: name, count }) => [name, count]))
const collect = (amount: number, more: Partial<Parameters<Desk['pay']>[0]> = {}): Promise<IntakeItem> =>
  desk.pay({ operator: 'BFOM', type: 'COLLECT', amountMinor: BigInt(amount) * 100n, phoneNumber: '22670123456', ...more })

test('each line by the surest rule, each in one class, and nothing unexplained', async () => {
  const named = await collect(1_000)
  await collect(2_000, { reference: 'OP-2' })
  await collect(3_000)
  const failed = await collect(4_000, { event: 'failed' })
  const refused = await collect(5_000)
  const open = await collect(6_000, { event: null })
  await desk.bring(
    'BFOM',
    bfFile(
      { id: 'L1', amount: 1_000, reference: named.transactionId },
      { id: 'OP-2', amount: 2_000 },
      { id: 'L4', amount: 4_000, reference: failed.transactionId },
      { id: 'L5', amount: 5_000, reference: refused.transactionId, status: 'FAILED' },
      { id: 'L6', amount: 6_000, reference: open.transactionId },
      { id: 'L7', amount: 7_000, phone: '70999999' },
      { id: 'L8', amount: 1_000, reference: named.transactionId },
      { id: 'L9', amount: 3_000 },
    ),
  )
  const day = await readDay()
  assert.deepEqual(counts(day), {
    paid_failed_here: 1,
    second_payment: 1,
    unknown_payment: 1,
    paid_open_here: 1,
    matched: 3,
    failed: 1,
    success_failed_there: 1,
  })
  assert.deepEqual([day.difference, day.unexplained, day.grave], ['13000', '0', 4])
  const matched = await listDayItems(desk.pool, await scopeOf('BFOM'), 'matched', 10)
  assert.deepEqual(matched.map(({ rule }) => rule).toSorted(), ['operator_id', 'our_id', 'phone'])
})

test('a line of another amount and a line in the wrong direction are seen; the difference is explained to the last franc', async () => {
  const [less, wrong] = [await collect(1_000), await collect(2_000)]
  await desk.bring(
    'BFOM',
    bfFile({ id: 'L1', amount: 900, reference: less.transactionId }, { id: 'L2', amount: -2_000, reference: wrong.transactionId }),
  )
  const day = await readDay()
  assert.deepEqual(counts(day), { unknown_payment: 1, amount_differs: 1, in_transit: 1 })
  assert.deepEqual([day.difference, day.unexplained], ['-4100', '0'])
  const { rows } = await desk.pool.query<{ name: string }>(
    'select a.name from applications a join transactions t using (application_id) where t.transaction_id = $1',
    [wrong.transactionId],
  )
  const transit = await listDayItems(desk.pool, await scopeOf('BFOM'), 'in_transit', 10)
  assert.deepEqual(
    transit.map(({ transaction }) => [transaction?.transactionId, transaction?.application]),
    [[wrong.transactionId, rows[0]?.name]],
  )
})

test('one line that pays two transactions of one operator reference exactly; a sum that differs stays unknown', async () => {
  for (const amount of [1_000, 2_000]) await collect(amount, { reference: 'BULK' })
  await desk.bring('BFOM', bfFile({ id: 'BULK', amount: 2_999 }))
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1, in_transit: 2 })
  await desk.bring('BFOM', bfFile({ id: 'BULK', amount: 3_000 }))
  const day = await readDay()
  assert.deepEqual([counts(day), day.unexplained], [{ unknown_payment: 1, matched: 1 }, '0'])
})

test('twins form one group if as many lines as transactions share number and amount; otherwise nobody is paired', async () => {
  const pay = () => desk.pay({ operator: 'MLMOOV', type: 'COLLECT', amountMinor: 50_000n, phoneNumber: '22370123456' })
  for (let count = 0; count < 3; count++) await pay()
  await desk.bring('MLMOOV', moovFile({ id: 'A', amount: 500 }, { id: 'B', amount: 500 }))
  assert.deepEqual(counts(await readDay('MLMOOV')), { unknown_payment: 2, in_transit: 3 })
  await desk.bring('MLMOOV', moovFile({ id: 'C', amount: 500 }))
  const day = await readDay('MLMOOV')
  assert.deepEqual([counts(day), day.unexplained], [{ matched: 3 }, '0'])
  const items = await listDayItems(desk.pool, await scopeOf('MLMOOV'), 'matched', 10)
  assert.ok(items.every(({ isTwin, rule }) => isTwin && rule === 'twins'))
})

test('a day of which 42 % are twins: no pair is a wrong one, equal numbers are groups, and nothing is unexplained', async () => {
  const owners = new Map<string, string>()
  const lines: Line[] = []
  const pay = async (number: number, phone: string, amount: number) => {
    const item = await collect(amount, { operator: 'MLMOOV', phoneNumber: `223${phone}` })
    owners.set(`L${number}`, item.transactionId)
    lines.push({ id: `L${number}`, amount, phone })
  }
  for (let number = 0; number < 29; number++) await pay(number, `701200${String(number).padStart(2, '0')}`, 1_000 + number)
  for (let number = 29; number < 50; number++) await pay(number, `7055000${number % 3}`, 500 + (Math.floor((number - 29) / 7) % 3) * 100)
  // Of one group of twins a line is missing: which of the payments it was is not known.
  await desk.bring('MLMOOV', moovFile(...lines.filter(({ id }) => id !== 'L29').toReversed()))
  const { rows } = await desk.pool.query<{ id: string; transactionId: string; rule: string }>(
    `select l.operator_id as id, m.transaction_id as "transactionId", m.rule from line_matches m join statement_lines l using (application_id, line_id)`,
  )
  const pairs = rows.filter(({ rule }) => rule === 'phone')
  assert.deepEqual(
    pairs.filter(({ id, transactionId }) => owners.get(id) !== transactionId),
    [],
  )
  assert.equal(pairs.length, 29)
  const twins = rows.filter(({ rule }) => rule === 'twins').length
  const day = await readDay('MLMOOV')
  assert.deepEqual(counts(day), { matched: 29 + twins, unknown_payment: 20 - twins, in_transit: 21 - twins })
  assert.ok(twins >= 16)
  assert.deepEqual([day.unexplained, day.difference], ['0', '-500'])
})

test('not paired by number and amount: a line and a transaction that bear different ids, and a line that names another transaction', async () => {
  await collect(1_000, { reference: 'OURS' })
  await collect(2_000)
  await desk.bring(
    'BFOM',
    bfFile({ id: 'THEIRS', amount: 1_000 }, { id: 'L2', amount: 2_000, reference: '00000000-0000-4000-8000-000000000000' }),
  )
  assert.deepEqual(counts(await readDay()), { unknown_payment: 2, in_transit: 2 })
})

test('a line finds its transaction when that ends after the statement arrived', async () => {
  await desk.bring('BFOM', bfFile({ id: 'LATE', amount: 1_000, phone: '70888888' }))
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1 })
  await collect(1_000, { phoneNumber: '22670888888' })
  await matchRecent(desk.pool, new Date())
  assert.deepEqual(counts(await readDay()), { matched: 1 })
})

test('a person matches a line and takes it back; the pair stays apart, and the history has both', async () => {
  const item = await collect(1_000)
  await desk.bring('BFOM', bfFile({ id: 'L1', amount: 900, phone: '70777777' }))
  const [line] = await listDayItems(desk.pool, await scopeOf('BFOM'), 'unknown_payment', 1)
  const by = { applicationId: desk.applicationId, actor: desk.actor, lineId: BigInt(line?.lineId ?? 0), note: 'paid by his brother' }
  must(await matchByHand(desk.pool, { ...by, transactionId: item.transactionId }))
  assert.deepEqual(await matchByHand(desk.pool, { ...by, transactionId: item.transactionId }), { ok: false, error: 'taken' })
  assert.deepEqual(counts(await readDay()), { amount_differs: 1 })
  must(await undoMatch(desk.pool, { ...by, note: 'wrong brother' }))
  await matchRecent(desk.pool, new Date())
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1, in_transit: 1 })
  const { rows } = await desk.pool.query<{ event: string; note: string }>('select event, note from match_events order by event_id')
  assert.deepEqual(
    rows.map(({ event, note }) => [event, note]),
    [
      ['matched', 'paid by his brother'],
      ['undone', 'wrong brother'],
    ],
  )
  const deposit = await desk.pay({ operator: 'BFOM', type: 'DEPOSIT', amountMinor: 90_000n })
  assert.deepEqual(await matchByHand(desk.pool, { ...by, transactionId: deposit.transactionId }), { ok: false, error: 'no_transaction' })
})

test('apart for good: a line that names our payment, once a person has taken the two apart', async () => {
  const item = await collect(1_000)
  await desk.bring('BFOM', bfFile({ id: 'L1', amount: 1_000, reference: item.transactionId }))
  const { rows } = await desk.pool.query<{ id: bigint }>('select line_id as id from line_matches')
  const { applicationId, actor } = desk
  must(await undoMatch(desk.pool, { applicationId, actor, lineId: rows[0]?.id ?? 0n, note: 'another payment' }))
  await matchRecent(desk.pool, new Date())
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1, in_transit: 1 })
})

test('apart for good: a line with the operator\u2019s id of our payment, once a person has taken the two apart', async () => {
  await collect(1_000, { reference: 'OP-1' })
  await desk.bring('BFOM', bfFile({ id: 'OP-1', amount: 1_000, phone: '70777777' }))
  const { rows } = await desk.pool.query<{ id: bigint; rule: string }>('select line_id as id, rule from line_matches')
  assert.equal(rows[0]?.rule, 'operator_id')
  const { applicationId, actor } = desk
  must(await undoMatch(desk.pool, { applicationId, actor, lineId: rows[0].id, note: 'another payment' }))
  await matchRecent(desk.pool, new Date())
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1, in_transit: 1 })
})

test('no pair where the order of time would give a line a payment that it cannot belong to', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))
  const candidate = (line: number, payment: string) => ({
    ...{
      lineId: BigInt(line),
      lineAt: at(line),
      applicationId: 'a',
      transactionId: payment,
      transactionAt: at(payment === 'early' ? 1 : 2),
    },
    ...{ lineDay: today, postedDay: today },
  })
  const later = [candidate(1, 'late'), candidate(2, 'late'), candidate(2, 'early')]
  assert.deepEqual(pairCandidates(later, 'twins'), [])
  assert.equal(pairCandidates([...later, candidate(1, 'early')], 'twins').length, 2)
})

test('no_transaction for a person who names a payment at another operator', async () => {
  const elsewhere = await desk.pay({ operator: 'MLMOOV', type: 'COLLECT', amountMinor: 90_000n })
  await desk.bring('BFOM', bfFile({ id: 'L1', amount: 900, phone: '70777777' }))
  const [line] = await listDayItems(desk.pool, await scopeOf('BFOM'), 'unknown_payment', 1)
  const { applicationId, actor } = desk
  const named = { applicationId, actor, lineId: BigInt(line?.lineId ?? 0), transactionId: elsewhere.transactionId, note: 'x' }
  assert.deepEqual(await matchByHand(desk.pool, named), { ok: false, error: 'no_transaction' })
})

test('one run of the matcher of a wallet at a time: a second waits until the first has ended', async () => {
  await desk.bring('BFOM', bfFile({ id: 'LATE', amount: 1_000, phone: '70888888' }))
  await collect(1_000, { phoneNumber: '22670888888' })
  const { wallet, applicationId } = await scopeOf('BFOM')
  const rules = await readMatchingRules(desk.pool, applicationId, wallet.wallet)
  let second: Promise<void> | undefined
  await withTransaction<null, never>(desk.pool, async (trx) => {
    await lockMatching(trx, { applicationId, wallet, rules, of: { sinceDay: today } })
    second = matchRecent(desk.pool, new Date())
    await waitUntil('the second run waits', async () => {
      const { rowCount } = await desk.pool.query(
        "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
      )
      return rowCount === 1
    })
    assert.deepEqual(counts(await readDay()), { unknown_payment: 1, in_transit: 1 })
    return ok(null)
  })
  await second
  assert.deepEqual(counts(await readDay()), { matched: 1 })
})

test('absent there only if statements cover the day and the one after', async () => {
  await collect(1_000)
  await desk.bring('BFOM', bfFile({ id: 'L1', amount: 50, phone: '70666666' }))
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1, in_transit: 1 })
  await desk.pool.query("update statement_files set last_day = last_day + 1 where state = 'imported'")
  assert.deepEqual(counts(await readDay()), { unknown_payment: 1, success_absent_there: 1 })
})

test('unexplained, by as much as the printed balances lack', async () => {
  const item = await collect(1_000)
  const line = (id: string, credit: string, before: string, after: string) =>
    bf({ id, amount: Number(credit), reference: id === 'L1' ? item.transactionId : '' })
      .with(11, before)
      .with(12, after)
  await desk.bring('BFOM', csv([ORANGE_BF_HEADER, line('L1', '1000', '5000', '6000')]))
  const tied = await readDay()
  assert.deepEqual([tied.proof, tied.unexplained], ['0', '0'])
  await desk.bring('BFOM', csv([ORANGE_BF_HEADER, line('L2', '100', '6001', '6101')]))
  const broken = await readDay()
  assert.deepEqual([broken.proof, broken.unexplained], ['1', '1'])
})
