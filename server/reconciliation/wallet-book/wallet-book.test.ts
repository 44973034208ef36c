import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readCertificate } from '../certificates/certificate-store.ts'
import { prepareDay, signDay } from '../certificates/sign-day.ts'
import { readDays } from '../days/read-days.ts'
import { matchByHand } from '../matching/match-by-hand.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'

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

const WALLET = 'MOMOCM-collect'
const DAY = addDays(utcDayOf(new Date()), -3)
const NEXT = addDays(DAY, 1)

type Line = { id: string; amount: number; type?: string; party?: string; fee?: number; tax?: number; day?: string; status?: string }
const row = ({
  id,
  amount,
  type = 'Transfer',
  party = 'FRI:237670000123/MSISDN',
  fee = 0,
  tax = 0,
  day = DAY,
  status = 'Successful',
}: Line) =>
  mtnRow({
    Id: id,
    Date: `${day} 10:00:00`,
    Status: status,
    Type: type,
    From: amount > 0 ? party : 'FRI:237670000009/MSISDN',
    To: amount > 0 ? 'FRI:237670000009/MSISDN' : party,
    'To / Fee': fee === 0 ? '' : String(fee),
    'To / Taxes': tax === 0 ? '' : String(tax),
    Amount: String(amount),
  })
const bring = (...lines: Line[]) => desk.bring(WALLET, csv([MTN_HEADER, ...lines.map(row)]))
const lineId = async (operatorId: string): Promise<string> => {
  const { rows } = await desk.pool.query<{ id: bigint }>('select line_id as id from statement_lines where operator_id = $1', [operatorId])
  return String(rows[0]?.id)
}
const book = async () => {
  const { rows } = await desk.pool.query<Record<string, bigint | string>>(
    `select kind, day::text, sum(wallet_minor)::integer as wallet, sum(suspense_minor)::integer as suspense from wallet_postings group by 1, 2 order by 2, 1`,
  )
  return rows.map(({ kind, day, wallet, suspense }) => [kind, day, wallet, suspense])
}
const propose = async (kind: ChangeKindName, operatorId: string) =>
  proposeChange(desk.pool, {
    applicationId: desk.applicationId,
    kind,
    input: { lineId: await lineId(operatorId), evidence: 'Mail of the operator', note: '' },
    actor: desk.actor,
  })
const confirm = (changeId: string, actor = serge) =>
  confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId: desk.applicationId, changeId, actor })
const post = async (kind: ChangeKindName, operatorId: string) => must(await confirm(must(await propose(kind, operatorId)).changeId))
const dayOf = async (day = DAY) => {
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('it exists')
  const [read] = await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: day, to: day })
  return read ?? assert.fail('it is read')
}
const refusedFor = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })

test('posted once per line when a file is imported: fees, taxes and commissions; beside payments once per file and day, failed lines never', async () => {
  const lines: Line[] = [
    { id: '1', amount: -2_500, type: 'Fee' },
    { id: '2', amount: -480, type: 'Tax' },
    { id: '3', amount: 1_200, type: 'Commission' },
    { id: '4', amount: 1_000, fee: 10, tax: 2 },
    { id: '5', amount: 2_000, fee: 20 },
    { id: '6', amount: 9_000, fee: 90, status: 'Failed' },
  ]
  await bring(...lines)
  const once = [
    ['commission', DAY, 120_000, 0],
    ['fee', DAY, -253_000, 0],
    ['tax', DAY, -48_200, 0],
  ]
  assert.deepEqual(await book(), once)
  await bring(...lines, { id: '7', amount: 3_000, fee: 30 })
  assert.deepEqual(await book(), [once[0], ['fee', DAY, -256_000, 0], once[2]])
  const { unexplained, difference } = await dayOf()
  // The unknown payments; what the operator kept is in both books.
  assert.deepEqual([unexplained, difference], ['0', '6000'])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('nothing posted until a second person confirms that an unknown payment enters suspense; then the day has no difference', async () => {
  await bring({ id: 'U1', amount: 700 })
  const { changeId } = must(await propose('wallet.unmatched', 'U1'))
  assert.deepEqual(await book(), [])
  assert.deepEqual(await confirm(changeId, desk.actor), { ok: false, error: 'own_proposal' })
  const twice = await Promise.all([confirm(changeId), confirm(changeId)])
  assert.deepEqual(twice.map(({ ok }) => ok).toSorted(), [false, true])
  assert.deepEqual(await book(), [['unmatched', DAY, 70_000, -70_000]])
  assert.deepEqual([(await dayOf()).difference, (await dayOf()).unexplained], ['0', '0'])
  assert.deepEqual(await propose('wallet.unmatched', 'U1'), refusedFor('already_posted'))
  assert.deepEqual(await propose('wallet.loss', 'U1'), refusedFor('already_posted'))
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('unknown credit in suspense, its day signed, matched the next day and released: suspense is empty and the sums agree', async () => {
  await bring({ id: 'V1', amount: 500 }, { id: 'V2', amount: 5, type: 'Commission', day: NEXT })
  await post('wallet.unmatched', 'V1')
  const deps = { pool: desk.pool, clock: systemClock }
  const one = { applicationId: desk.applicationId, wallet: WALLET, day: DAY }
  must(await prepareDay(deps, { ...one, actor: serge }))
  const { hash = '' } = (await readCertificate(desk.pool, one)) ?? {}
  const third: PersonCommandActor = { ...serge, id: await makePerson(desk.pool, desk.applicationId, ['finance']) }
  assert.deepEqual(await signDay(deps, { ...one, hash, actor: desk.actor }), { ok: false, error: 'maker' })
  must(await signDay(deps, { ...one, hash, actor: third }))
  const payment = await desk.pay({ operator: 'MOMOCM', type: 'COLLECT', amountMinor: 50_000n })
  const matching = { applicationId: desk.applicationId, actor: desk.actor, lineId: BigInt(await lineId('V1')), note: 'found' }
  must(await matchByHand(desk.pool, { ...matching, transactionId: payment.transactionId }))
  await post('wallet.release', 'V1')
  assert.deepEqual(await book(), [
    ['unmatched', DAY, 50_000, -50_000],
    ['commission', NEXT, 500, 0],
    ['release', NEXT, -50_000, 50_000],
  ])
  const { rows } = await desk.pool.query(`select origin_day::text as origin from wallet_postings where kind = 'release'`)
  assert.deepEqual(rows, [{ origin: DAY }])
  assert.deepEqual(await propose('wallet.release', 'V1'), refusedFor('already_posted'))
  assert.deepEqual([(await dayOf(NEXT)).unexplained, (await dayOf(DAY)).unexplained], ['0', '0'])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('an opening balance enters the book by what two people changed, on its day, and is no movement of that day', async () => {
  const set = async (openingMinor: string) => {
    const settings = {
      number: null,
      zone: 'Africa/Douala',
      cutoffMinute: 0,
      feePpm: null,
      feeFixedMinor: null,
      openingDay: DAY,
      openingMinor,
    }
    const { applicationId } = desk
    const input = { wallet: WALLET, ...settings }
    must(await confirm(must(await proposeChange(desk.pool, { applicationId, kind: 'wallet.set', input, actor: desk.actor })).changeId))
  }
  await set('100000')
  await set('150000')
  assert.deepEqual(await book(), [['opening', DAY, 150_000, -150_000]])
  assert.deepEqual([(await dayOf()).difference, (await dayOf()).unexplained], ['0', '0'])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('does_not_fit: each posting is refused for a line of another class, and unknown_line for one that does not exist', async () => {
  await bring({ id: 'W1', amount: 700 }, { id: 'W2', amount: -75, type: 'Fee' })
  for (const kind of ['wallet.transfer', 'wallet.release'] as const) assert.deepEqual(await propose(kind, 'W1'), refusedFor('does_not_fit'))
  for (const kind of ['wallet.unmatched', 'wallet.loss'] as const) assert.deepEqual(await propose(kind, 'W2'), refusedFor('does_not_fit'))
  const nowhere = { lineId: '999999', evidence: 'x', note: '' }
  const { applicationId } = desk
  assert.deepEqual(
    await proposeChange(desk.pool, { applicationId, kind: 'wallet.loss', input: nowhere, actor: desk.actor }),
    refusedFor('unknown_line'),
  )
})

test('refused by the table: a posting that does not balance, one of a person without a change, and any change of what is posted', async () => {
  await bring({ id: 'X1', amount: 700, fee: 7 })
  const insert = (columns: string, values: string) =>
    desk.pool.query(
      `insert into wallet_postings (application_id, wallet, subject, kind, day, ${columns}) values ($1, 'BFOM', 'x', ${values})`,
      [desk.applicationId],
    )
  await assert.rejects(insert('wallet_minor', `'fee', now(), 5`), /wallet_posting_balances/)
  await assert.rejects(insert('wallet_minor, loss_minor', `'loss', now(), 5, -5`), /people_post_by_change/)
  await assert.rejects(desk.pool.query('update wallet_postings set wallet_minor = 0, operator_fee_minor = 0'), /never changed/)
  await assert.rejects(desk.pool.query('delete from wallet_postings'), /never changed/)
})

test('verify names a fee that differs from the lines and a posting that no second person confirmed', async () => {
  await bring({ id: 'Y1', amount: 700, fee: 7 })
  await desk.pool.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, wallet_minor, operator_fee_minor) values ($1, $2, 'line 9', 'fee', $3, -1, 1)`,
    [desk.applicationId, WALLET, DAY],
  )
  await desk.pool.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, wallet_minor, loss_minor, line_id, change_id, actor_id)
       values ($1, $2, 'change x', 'loss', $3, 70000, -70000, $4, gen_random_uuid(), $5)`,
    [desk.applicationId, WALLET, DAY, await lineId('Y1'), serge.id],
  )
  assert.deepEqual((await verifyDatabase(desk.pool)).toSorted(), [
    `wallet book: ${WALLET} ${DAY} fee: posted -701, the lines say -700`,
    `wallet book: ${WALLET} change x: no second person confirmed it, or it is not of its line`,
  ])
})

test('a move is in both wallets of an operator with two, in transit until the operator prints the transfer', async () => {
  const { rows } = await desk.pool.query<{ account: string; effect: boolean }>(
    `select a.account, is_in_account(a.account, 'move', -100, 0) as effect from (values ('collect'), ('deposit')) a (account)`,
  )
  assert.deepEqual(
    rows.map(({ effect }) => effect),
    [true, true],
  )
  await desk.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, deposit_minor, at)
       values ($1, gen_random_uuid(), 'move', 'MOMOCM', 'XAF', -2000000, 2000000, $2::date + interval '10 hours')`,
    [desk.applicationId, DAY],
  )
  const moved = async (id: string) => {
    const wallet = (await readWallet(desk.pool, desk.applicationId, id)) ?? assert.fail('it exists')
    const [read] = await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: DAY, to: DAY })
    return [read?.difference, read?.unexplained, read?.terms.map(({ class: name, amount }) => `${name} ${amount}`).join()]
  }
  assert.deepEqual(await moved('MOMOCM-collect'), ['20000', '0', 'move 20000'])
  assert.deepEqual(await moved('MOMOCM-deposit'), ['-20000', '0', 'move -20000'])
  await bring({ id: 'T1', amount: -20_000, party: 'FRI:float.deposits/USER' })
  assert.deepEqual(await moved('MOMOCM-collect'), ['0', '0', 'transfer -20000,move 20000'])
})
