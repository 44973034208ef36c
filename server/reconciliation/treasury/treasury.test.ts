import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { TransitStep } from '#lib/finance/treasury-dto.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readDays } from '../days/read-days.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { markTransit, pairTransit, undoMark } from './mark-transit.ts'
import { readTransfers, readTreasury } from './read-treasury.ts'

let database: TestDatabase | undefined
let desk: Desk
/** A partner of the installation. */
let ledgerId = ''
let people: [PersonCommandActor, PersonCommandActor]
let bankAccountId = ''
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  ledgerId = await makeApplication(desk.pool)
  const person = async (): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(desk.pool, ledgerId, ['finance']),
    applicationId: ledgerId,
    roles: ['finance'],
  })
  people = [await person(), await person()]
  bankAccountId = await make('bank_account.add', {
    holder: 'Kora',
    bank: 'Afriland',
    currency: 'XAF',
    number: 'CM2110002000300277976315008',
  })
})
after(() => database?.drop())

const TODAY = utcDayOf(new Date())

async function make(kind: ChangeKindName, input: Record<string, unknown>): Promise<string> {
  const [maker, checker] = people
  const { changeId } = must(await proposeChange(desk.pool, { applicationId: ledgerId, kind, input, actor: maker }))
  must(await confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId: ledgerId, changeId, actor: checker }))
  return changeId
}

const correct = (amountMinor: string, reference: string = randomUUID()) =>
  make('funding.correction', {
    ...{ operator: 'MOMOCM', account: 'collect', amountMinor, reference, note: '' },
    document: { name: 'a.pdf', sha256: 'a1'.repeat(32) },
  })
const withdraw = (amountMinor: string) =>
  make('funding.withdrawal', {
    ...{ operator: 'MOMOCM', account: 'collect', bankAccountId, amountMinor, reference: randomUUID(), note: '', document: null },
  })

type Line = { id: string; amount: number; day?: string; type?: string }
const bring = (...lines: Line[]) => bringTo('MOMOCM-collect', ...lines)
const bringTo = (wallet: string, ...lines: Line[]) =>
  desk.bring(
    wallet,
    csv([
      MTN_HEADER,
      ...lines.map(({ id, amount, day = TODAY, type = 'Transfer' }) =>
        mtnRow({
          Id: id,
          Date: `${day} 00:05:00`,
          Status: 'Successful',
          Type: type,
          From: amount > 0 ? 'FRI:bank.sweep/USER' : 'FRI:237670000009/MSISDN',
          To: amount > 0 ? 'FRI:237670000009/MSISDN' : 'FRI:bank.sweep/USER',
          Amount: String(amount),
        }),
      ),
    ]),
  )
const mark = (changeId: string, step: TransitStep, given: { day?: string; reference?: string; actor?: PersonCommandActor } = {}) => {
  const { day = TODAY, reference = 'BK 77', actor = desk.actor } = given
  return markTransit(desk.pool, { applicationId: actor.applicationId, actor, ledgerId, changeId, step, day, reference, now: new Date() })
}
const transit = async (changeId: string) => {
  const read = await readTreasury(desk.pool, { applicationId: desk.applicationId, carriesOut: true, now: new Date() })
  return read.transit.find((each) => each.changeId === changeId) ?? assert.fail('it is listed')
}
const marksOf = async (changeId: string) =>
  (await transit(changeId)).marks.map(({ step, day, reference, by }) => [step, day, reference, by !== null])

test('the day of the wallet is explained before and after the line of the operator: carried as a withdrawal, then line and posting cancel out', async () => {
  await correct('900000')
  await withdraw('400000')
  const wallet = (await readWallet(desk.pool, desk.applicationId, 'MOMOCM-collect')) ?? assert.fail('it exists')
  const day = async () => {
    const [read] = await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: TODAY, to: TODAY })
    return [read?.difference, read?.unexplained, read?.terms.map(({ class: name, amount }) => `${name} ${amount}`).join()]
  }
  assert.deepEqual(await day(), ['-5000', '0', 'funding -9000,withdraw 4000'])
  await bring({ id: 'T1', amount: -4_000 })
  assert.deepEqual(await day(), ['-9000', '0', 'transfer -4000,funding -9000,withdraw 4000'])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('left, by the only line of its amount, once, and not again after a person undid it; the whole number for the installation, its end for the partner', async () => {
  await correct('900000')
  const changeId = await withdraw('400000')
  await bring({ id: 'T1', amount: -4_000 }, { id: 'T2', amount: -3_999 }, { id: 'T3', amount: 4_000 })
  await Promise.all([pairTransit(desk.pool), pairTransit(desk.pool)])
  assert.deepEqual(await marksOf(changeId), [['left', TODAY, 'T1', false]])
  const bank = { kind: 'bank', bank: 'Afriland', holder: 'Kora' }
  assert.deepEqual((await transit(changeId)).to, { ...bank, number: 'CM21 1000 2000 3002 7797 6315 008' })
  must(await undoMark(desk.pool, { applicationId: desk.applicationId, actor: desk.actor, ledgerId, changeId, step: 'left' }))
  assert.equal(await pairTransit(desk.pool), 0)
  const own = await readTreasury(desk.pool, { applicationId: ledgerId, carriesOut: false, now: new Date() })
  assert.deepEqual(
    own.transit.map(({ to }) => to),
    [{ ...bank, number: '•••• 5008' }],
  )
})

test('not marked: two withdrawals of one amount, two lines, a line that may be a move, one from before, and a fee', async () => {
  await correct('9000000')
  const twins = [await withdraw('100000'), await withdraw('100000')]
  const doubled = await withdraw('200000')
  const moved = await withdraw('300000')
  const early = await withdraw('500000')
  const fee = await withdraw('600000')
  await make('funding.move', { operator: 'MOMOCM', amountMinor: '300000', reference: 'M', note: '', document: null })
  await bring(
    { id: 'A', amount: -1_000 },
    { id: 'B', amount: -2_000 },
    { id: 'C', amount: -2_000 },
    { id: 'D', amount: -3_000 },
    { id: 'E', amount: -5_000, day: addDays(TODAY, -5) },
    { id: 'F', amount: -6_000, type: 'Fee' },
  )
  assert.equal(await pairTransit(desk.pool), 0)
  for (const changeId of [...twins, doubled, moved, early, fee]) assert.deepEqual(await marksOf(changeId), [])
})

test('arrived after a person entered the reference of the bank, in both audit records; taken back by undo; then no longer on its way', async () => {
  await correct('900000')
  const changeId = await withdraw('400000')
  must(await mark(changeId, 'left', { reference: 'OP 1' }))
  must(await mark(changeId, 'arrived', { day: addDays(TODAY, 1) }))
  assert.deepEqual(await mark(changeId, 'arrived'), { ok: false, error: 'already_marked' })
  assert.deepEqual(await mark(changeId, 'left'), { ok: false, error: 'already_marked' })
  const step = { applicationId: desk.applicationId, actor: desk.actor, ledgerId, changeId, step: 'arrived' as const }
  must(await undoMark(desk.pool, step))
  assert.deepEqual(await undoMark(desk.pool, step), { ok: false, error: 'not_found' })
  must(await mark(changeId, 'arrived'))
  assert.deepEqual(await marksOf(changeId), [
    ['left', TODAY, 'OP 1', true],
    ['arrived', TODAY, 'BK 77', true],
  ])
  for (const applicationId of [ledgerId, desk.applicationId]) {
    const acts = (await listAudit(desk.pool, applicationId, { size: 10 })).filter(({ action }) => action === 'withdrawal.marked')
    assert.deepEqual(
      acts.map(({ details }) => [details['step'], details['undone']]),
      [
        ['arrived', undefined],
        ['arrived', true],
        ['arrived', undefined],
        ['left', undefined],
      ],
    )
  }
})

test('no_correction until two people have corrected the same balance by the same amount; each correction returns one withdrawal', async () => {
  await correct('900000')
  const [first, second] = [await withdraw('400000'), await withdraw('400000')]
  const returned = { reference: 'ret 2026-1' }
  assert.deepEqual(await mark(first, 'returned', returned), { ok: false, error: 'no_correction' })
  await correct('400001', 'RET-2026/2')
  assert.deepEqual(await mark(first, 'returned', { reference: 'RET-2026/2' }), { ok: false, error: 'no_correction' })
  await correct('400000', 'RET-2026/1')
  must(await mark(first, 'returned', returned))
  assert.deepEqual(await marksOf(first), [['returned', TODAY, 'RET-2026/1', true]])
  assert.deepEqual(await mark(second, 'returned', returned), { ok: false, error: 'no_correction' })
  assert.deepEqual(await mark(first, 'arrived'), { ok: false, error: 'already_marked' })
})

test('no_correction for a correction that was confirmed before the withdrawal', async () => {
  await correct('900000')
  await correct('400000', 'RET-2026/0')
  const changeId = await withdraw('400000')
  assert.deepEqual(await mark(changeId, 'returned', { reference: 'RET-2026/0' }), { ok: false, error: 'no_correction' })
})

test('wrong_day before the confirmation or after tomorrow; not_found outside the installation or unconfirmed; not_permitted without the role', async () => {
  await correct('900000')
  const changeId = await withdraw('400000')
  for (const day of [addDays(TODAY, -2), addDays(TODAY, 2)])
    assert.deepEqual(await mark(changeId, 'arrived', { day }), { ok: false, error: 'wrong_day' })
  assert.deepEqual(await mark(changeId, 'arrived', { actor: people[0] }), { ok: false, error: 'not_found' })
  assert.deepEqual(await mark(randomUUID(), 'arrived'), { ok: false, error: 'not_found' })
  assert.deepEqual(await mark(bankAccountId, 'arrived'), { ok: false, error: 'not_found' })
  const maker: PersonCommandActor = { ...desk.actor, roles: ['maker'] }
  assert.deepEqual(await mark(changeId, 'arrived', { actor: maker }), { ok: false, error: 'not_permitted' })
})

test('the operator may report a withdrawal that has not left yet, and no more; after it has left nothing is explained by it', async () => {
  await correct('900000')
  const changeId = await withdraw('400000')
  const unexplained = async (differenceMinor: bigint) => {
    const { rows } = await desk.pool.query<{ minor: bigint }>(`select unexplained_difference('MOMOCM', $1) as minor`, [differenceMinor])
    return rows[0]?.minor
  }
  assert.deepEqual([await unexplained(0n), await unexplained(400_000n), await unexplained(400_100n)], [0n, 0n, 100n])
  must(await mark(changeId, 'left'))
  assert.deepEqual(await unexplained(400_000n), 400_000n)
})

/** A second person of the installation. */
const another = async (): Promise<PersonCommandActor> => ({
  ...desk.actor,
  id: await makePerson(desk.pool, desk.applicationId, ['finance']),
})
const PLAN = { from: 'MOMOCM-collect', to: 'MOMOCM-deposit', amountMinor: '400000', reference: 'TR 1', note: '' }
const propose = (input: Record<string, unknown> = {}) =>
  proposeChange(desk.pool, { applicationId: desk.applicationId, kind: 'wallet.plan', input: { ...PLAN, ...input }, actor: desk.actor })
const confirm = (changeId: string, actor: PersonCommandActor) =>
  confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId: desk.applicationId, changeId, actor })
async function plan(input: Record<string, unknown> = {}): Promise<string> {
  const serge = await another()
  const { changeId } = must(await propose(input))
  assert.deepEqual(await confirm(changeId, desk.actor), { ok: false, error: 'own_proposal' })
  must(await confirm(changeId, serge))
  return changeId
}
const transfer = async (changeId: string) => {
  const found =
    (await readTransfers(desk.pool, desk.applicationId)).find((each) => each.changeId === changeId) ?? assert.fail('it is listed')
  return [found.hasEnded, found.marks.map(({ step, reference, mayUndo }) => `${step} ${reference} ${mayUndo}`).join()]
}
const bookOf = async () => {
  const { rows } = await desk.pool.query<{ wallet: string; minor: bigint; transit: bigint }>(
    `select wallet, wallet_minor as minor, transit_minor as transit from wallet_postings where kind = 'transfer' order by wallet`,
  )
  return rows.map(({ wallet, minor, transit: of }) => [wallet, minor, of])
}

test('an own transfer is on its way until the lines of both wallets came, which post it by themselves; both days are explained', async () => {
  await another()
  const changeId = await plan()
  assert.deepEqual(await transfer(changeId), [false, ''])
  await bring({ id: 'T1', amount: -4_000 })
  await Promise.all([pairTransit(desk.pool), pairTransit(desk.pool)])
  assert.deepEqual(await transfer(changeId), [false, 'left T1 false'])
  assert.deepEqual(await bookOf(), [['MOMOCM-collect', -400_000n, 400_000n]])
  await bringTo('MOMOCM-deposit', { id: 'T2', amount: 4_000 })
  await pairTransit(desk.pool)
  assert.deepEqual(await transfer(changeId), [true, 'left T1 false,arrived T2 false'])
  assert.deepEqual(await bookOf(), [
    ['MOMOCM-collect', -400_000n, 400_000n],
    ['MOMOCM-deposit', 400_000n, -400_000n],
  ])
  for (const id of ['MOMOCM-collect', 'MOMOCM-deposit']) {
    const wallet = (await readWallet(desk.pool, desk.applicationId, id)) ?? assert.fail('it exists')
    const [read] = await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: TODAY, to: TODAY })
    assert.deepEqual([read?.difference, read?.unexplained], ['0', '0'])
  }
  const undone = await undoMark(desk.pool, {
    ...{ applicationId: desk.applicationId, actor: desk.actor },
    ledgerId: desk.applicationId,
    changeId,
    step: 'left',
  })
  assert.deepEqual(undone, { ok: false, error: 'not_found' })
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('to the bank: left by its line, arrived when a person enters the reference of the bank; no second line is taken for it', async () => {
  const serge = await another()
  const account = { holder: 'Kora', bank: 'Afriland', currency: 'XAF', number: 'CM2110002000300277976315008' }
  const added = must(
    await proposeChange(desk.pool, { applicationId: desk.applicationId, kind: 'bank_account.add', input: account, actor: desk.actor }),
  )
  must(await confirm(added.changeId, serge))
  const changeId = await plan({ to: `bank:${added.changeId}` })
  await bring({ id: 'B1', amount: -4_000 })
  await pairTransit(desk.pool)
  await bring({ id: 'B2', amount: -4_000, day: addDays(TODAY, -1) })
  assert.equal(await pairTransit(desk.pool), 0)
  must(
    await markTransit(desk.pool, {
      ...{ applicationId: desk.applicationId, actor: desk.actor, ledgerId: desk.applicationId, changeId },
      ...{ step: 'arrived', day: TODAY, reference: 'BK 9', now: new Date() },
    }),
  )
  assert.deepEqual(await transfer(changeId), [true, 'left B1 false,arrived BK 9 true'])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('not taken: a line that may be of an own transfer or of a withdrawal; the operator may report either as gone or not', async () => {
  await another()
  await correct('900000')
  await withdraw('400000')
  const changeId = await plan()
  await bring({ id: 'X1', amount: -4_000 })
  assert.equal(await pairTransit(desk.pool), 0)
  assert.deepEqual(await transfer(changeId), [false, ''])
  const { rows } = await desk.pool.query<{ minor: bigint }>(
    `select unexplained_difference('MOMOCM', d) as minor from unnest(array[-400000, 0, 400000, 800000, 800001, -400001]) as d`,
  )
  assert.deepEqual(
    rows.map(({ minor }) => minor),
    [0n, 0n, 0n, 0n, 1n, -1n],
  )
})

test('same_place, other_currency, unknown_bank_account and reference_booked; not_the_installation in any other application', async () => {
  await another()
  const refusal = async (input: Record<string, unknown>) => {
    const result = await propose(input)
    return result.ok ? 'proposed' : typeof result.error === 'string' ? result.error : result.error.reason
  }
  assert.equal(await refusal({ to: 'MOMOCM-collect' }), 'same_place')
  assert.equal(await refusal({ to: 'SNWAVE' }), 'other_currency')
  for (const to of [`bank:${bankAccountId}`, 'NOPE', 'bank:']) assert.equal(await refusal({ to }), 'unknown_bank_account')
  assert.equal(await refusal({ amountMinor: '0' }), 'invalid')
  await plan()
  assert.equal(await refusal({ reference: 'tr-1' }), 'reference_booked')
  const [maker] = people
  const elsewhere = await proposeChange(desk.pool, { applicationId: ledgerId, kind: 'wallet.plan', input: PLAN, actor: maker })
  assert.deepEqual(elsewhere, { ok: false, error: { code: 'refused', reason: 'not_the_installation' } })
})
