import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { listDayItems } from '../days/list-items.ts'
import { readDays } from '../days/read-days.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { matchRecent } from './match-wallet.ts'

let database: TestDatabase | undefined
let desk: Desk
let serge: PersonCommandActor
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  const id = await makePerson(desk.pool, desk.applicationId, ['finance'])
  serge = { kind: 'person', id, applicationId: desk.applicationId, roles: ['finance'] }
})
after(() => database?.drop())

const DAY = addDays(utcDayOf(new Date()), -4)
const WALLETS = ['MOMOCM-collect', 'MOMOCM-deposit'] as const
/** Long after the lines, when no move can be near. */
const later = new Date()
const soon = new Date(`${DAY}T20:00:00Z`)

type Line = { id: string; amount: number; hour?: number }
const row = ({ id, amount, hour = 10 }: Line) => {
  const [ours, theirs] = ['FRI:237670000009/MSISDN', 'FRI:float.account/USER']
  const [from, to] = amount > 0 ? [theirs, ours] : [ours, theirs]
  return mtnRow({
    Id: id,
    Date: `${DAY} ${hour}:00:00`,
    Status: 'Successful',
    Type: 'Transfer',
    From: from,
    To: to,
    Amount: String(amount),
  })
}
const bring = (wallet: string, ...lines: Line[]) => desk.bring(wallet, csv([MTN_HEADER, ...lines.map(row)]))
const move = (amount: number, hour = 9) =>
  desk.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, at)
       values ($1, gen_random_uuid(), 'move', 'MOMOCM', 'XAF', -$2::bigint, $2::bigint, $3::date + $4 * interval '1 hour')`,
    [desk.applicationId, amount * 100, DAY, hour],
  )
const scopeOf = async (id: string) => {
  const wallet = (await readWallet(desk.pool, desk.applicationId, id)) ?? assert.fail('it exists')
  return { applicationId: desk.applicationId, wallet, from: DAY, to: DAY }
}
/** Difference and unexplained sum of the day in both wallets. */
const differences = () =>
  Promise.all(
    WALLETS.map(async (id) => {
      const [day] = await readDays(desk.pool, await scopeOf(id))
      return [day?.difference, day?.unexplained]
    }),
  )
const pairs = async () => {
  const { rows } = await desk.pool.query<{ text: string }>(
    `select o.operator_id || ' ' || i.operator_id || case when p.move_id is null then '' else ' move' end as text from transfer_pairs p
       join statement_lines o on o.line_id = p.out_line_id join statement_lines i on i.line_id = p.in_line_id order by 1`,
  )
  return rows.map(({ text }) => text)
}
const countPosted = async () => (await desk.pool.query('select 1 from wallet_postings')).rowCount
const proposeTransfer = async (operatorId: string) => {
  const { rows } = await desk.pool.query<{ id: bigint }>('select line_id as id from statement_lines where operator_id = $1', [operatorId])
  const input = { lineId: String(rows[0]?.id), evidence: 'Mail of the operator', note: '' }
  return proposeChange(desk.pool, { applicationId: desk.applicationId, kind: 'wallet.transfer', input, actor: desk.actor })
}

test('no difference and nothing posted: both lines of a transfer are paired with its move, and nobody can post about them', async () => {
  await move(20_000)
  await bring('MOMOCM-collect', { id: 'OUT', amount: -20_000 })
  await matchRecent(desk.pool, later)
  assert.deepEqual(await pairs(), [])
  await bring('MOMOCM-deposit', { id: 'IN', amount: 20_000, hour: 11 })
  await matchRecent(desk.pool, soon)
  await matchRecent(desk.pool, later)
  assert.deepEqual(await pairs(), ['OUT IN move'])
  assert.equal(await countPosted(), 0)
  assert.deepEqual(await differences(), [
    ['0', '0'],
    ['0', '0'],
  ])
  assert.deepEqual(await proposeTransfer('OUT'), { ok: false, error: { code: 'refused', reason: 'does_not_fit' } })
  for (const dayClass of ['transfer', 'move'] as const) {
    const listed = await listDayItems(desk.pool, await scopeOf('MOMOCM-deposit'), dayClass, 10)
    assert.deepEqual(
      listed.map(({ rule }) => rule),
      ['pair'],
      dayClass,
    )
  }
  assert.deepEqual(await verifyDatabase(desk.pool).then((found) => found.filter((each) => each.startsWith('wallet'))), [])
})

test('posted in both wallets, with a sum of zero in transit: a transfer without a move, once no move can be near', async () => {
  await bring('MOMOCM-collect', { id: 'OUT', amount: -20_000 })
  await bring('MOMOCM-deposit', { id: 'IN', amount: 20_000 })
  await matchRecent(desk.pool, soon)
  assert.deepEqual([await pairs(), await countPosted()], [[], 0])
  await Promise.all([matchRecent(desk.pool, later), matchRecent(desk.pool, later)])
  assert.deepEqual([await pairs(), await countPosted()], [['OUT IN'], 2])
  assert.deepEqual(await differences(), [
    ['0', '0'],
    ['0', '0'],
  ])
  const { rows } = await desk.pool.query<{ transit: bigint }>('select sum(transit_minor)::bigint as transit from wallet_postings')
  assert.deepEqual(rows, [{ transit: 0n }])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('left for a person: two lines of one amount, two moves, other amounts, and a line that people posted about', async () => {
  await bring(
    'MOMOCM-collect',
    { id: 'O1', amount: -100 },
    { id: 'O2', amount: -100 },
    { id: 'O3', amount: -300 },
    { id: 'O4', amount: -400 },
  )
  await bring('MOMOCM-deposit', { id: 'I1', amount: 100 }, { id: 'I3', amount: 301 }, { id: 'I4', amount: 400 })
  await bring('MOMOCM-collect', { id: 'O5', amount: -500 })
  await bring('MOMOCM-deposit', { id: 'I5', amount: 500 })
  await move(500)
  await move(500, 12)
  const { changeId } = must(await proposeTransfer('O4'))
  must(await confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId: desk.applicationId, changeId, actor: serge }))
  await matchRecent(desk.pool, later)
  assert.deepEqual([await pairs(), await countPosted()], [[], 1])
})

test('posted once: a person confirms the transfer of a line while it is paired', async () => {
  await bring('MOMOCM-collect', { id: 'OUT', amount: -20_000 })
  await bring('MOMOCM-deposit', { id: 'IN', amount: 20_000 })
  const { changeId } = must(await proposeTransfer('OUT'))
  await Promise.all([
    confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId: desk.applicationId, changeId, actor: serge }),
    matchRecent(desk.pool, later),
  ])
  await matchRecent(desk.pool, later)
  const { rows } = await desk.pool.query<{ postings: number }>(
    `select count(*)::integer as postings from wallet_postings w join statement_lines l using (line_id) where l.operator_id = 'OUT'`,
  )
  assert.deepEqual(rows, [{ postings: 1 }])
})
