import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { DEFAULT_CODES, type JournalCodes } from '#lib/reconciliation/journal.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readJournalFile } from '#server/reports/journal/read-journal-file.ts'
import { poolOfOne } from '#server/sandbox/history/pool-of-one.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readCertificate } from '../certificates/certificate-store.ts'
import { prepareDay, signDay } from '../certificates/sign-day.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow, ORANGE_BF_HEADER } from '../testing/statements.ts'
import { listEntries } from './journal-store.ts'
import { verifyJournal } from './verify-journal.ts'

let database: TestDatabase | undefined
let desk: Desk
let [serge, chief, other]: PersonCommandActor[] = []
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  serge = await personWith(['finance'])
  chief = await personWith(['administrator'])
  other = await personWith(['administrator'])
})
after(() => database?.drop())

async function personWith(roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(desk.pool, desk.applicationId, roles), applicationId: desk.applicationId, roles }
}

const WALLET = 'BFOM'
const now = new Date()
const clock = { now: () => now }
const DAY = addDays(utcDayOf(now), -4)
const NEXT = addDays(DAY, 1)

const bring = (id: string, { amount, fee, day = DAY }: { amount: number; fee: number; day?: string }) =>
  desk.bring(
    WALLET,
    csv([
      ORANGE_BF_HEADER,
      [
        `${day} 10:00:00`,
        'SUCCESS',
        id,
        '',
        '70123456',
        '',
        'MERCHPAY',
        String(amount),
        String(amount - fee),
        '',
        String(fee),
        '',
        '',
        '',
        '',
      ],
    ]),
  )
const bringMtn = (wallet: string, id: string) =>
  desk.bring(
    wallet,
    csv([MTN_HEADER, mtnRow({ Id: id, Date: `${DAY} 10:00:00`, Status: 'Successful', Type: 'Transfer', 'To / Fee': '3', Amount: '100' })]),
  )
/** A collect of 1,000 that was settled at noon of a day, with fees of 30 for the service and 10 for the application. */
const settle = (day = DAY) =>
  desk.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, fees_minor, clearing_minor, revenue_minor, at)
       values ($1, gen_random_uuid(), 'settle', 'BFOM', 'XOF', 96000, 1000, -100000, 3000, $2::date + interval '12 hours')`,
    [desk.applicationId, day],
  )
const one = (wallet: string, day: string, actor: PersonCommandActor) => ({ applicationId: desk.applicationId, actor, wallet, day })
const prepare = (wallet = WALLET, day = DAY) => prepareDay({ pool: desk.pool, clock }, one(wallet, day, desk.actor))
const sign = async (wallet = WALLET, day = DAY, pool = desk.pool) => {
  const hash = (await readCertificate(pool, { applicationId: desk.applicationId, wallet, day }))?.hash ?? ''
  return signDay({ pool, clock }, { ...one(wallet, day, serge ?? desk.actor), hash })
}
const close = async (day = DAY) => {
  must(await prepare(WALLET, day))
  must(await sign(WALLET, day))
}
const change = async (kind: 'day.reopen' | 'journal.accounts', input: Record<string, unknown>) => {
  const { applicationId } = desk
  const { changeId } = must(await proposeChange(desk.pool, { applicationId, kind, input, actor: chief ?? desk.actor }))
  return {
    changeId,
    confirm: (actor = other) => confirmChange({ pool: desk.pool, clock }, { applicationId, changeId, actor: actor ?? desk.actor }),
  }
}
const reopen = async () => must(await (await change('day.reopen', { wallet: WALLET, day: DAY, note: 'x' })).confirm())
const entries = () => listEntries(desk.pool, { applicationId: desk.applicationId })
const summary = async () =>
  (await entries()).map(({ number, kind, wallet, version, reverses, lines }) => [
    ...[number, kind, wallet, version, reverses],
    lines.map(({ account, code, auxiliary, amountMinor }) => [account, code, auxiliary ?? '', Number(amountMinor)].join(' ')),
  ])

test('one balanced entry: what the wallet, the application, the service and the operator have of a signed day', async () => {
  await bring('A1', { amount: 1_000, fee: 15 })
  await settle()
  await close()
  assert.deepEqual(await summary(), [
    [
      ...[1, 'day', WALLET, 1, null],
      ['wallet 552  98500', 'partners 4731 kora-stores -97000', 'operator_fees 6317  1500', 'service_fees 7061  -3000'],
    ],
  ])
  assert.deepEqual(await verifyJournal(desk.pool), [])
})

test('1, 2, 3 without a gap: days of three wallets that are signed at once, after signings that were rolled back or killed', async () => {
  await bring('B1', { amount: 1_000, fee: 15 })
  const wallets = [WALLET, 'MOMOCM-collect', 'MOMOCM-deposit']
  for (const wallet of wallets.slice(1)) await bringMtn(wallet, `B-${wallet}`)
  for (const wallet of wallets) must(await prepare(wallet))
  const undone = new Error('rolled back')
  await assert.rejects(
    withTransaction(desk.pool, async (trx) => {
      must(await sign(WALLET, DAY, poolOfOne(trx)))
      throw undone
    }),
    undone,
  )
  const holder = await desk.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from application_counters where application_id = $1 for update', [desk.applicationId])
    const killed = sign()
    const waits = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    let pid: number | undefined
    while (pid === undefined) pid = (await desk.pool.query<{ pid: number }>(waits)).rows[0]?.pid
    await desk.pool.query('select pg_terminate_backend($1)', [pid])
    await assert.rejects(killed)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  assert.deepEqual(await entries(), [])
  for (const signed of await Promise.all(wallets.map((wallet) => sign(wallet)))) must(signed)
  const booked = await entries()
  assert.deepEqual(
    booked.map(({ number }) => number),
    [1, 2, 3],
  )
  assert.deepEqual(booked.map(({ wallet }) => wallet).toSorted(), wallets)
  assert.deepEqual(await verifyJournal(desk.pool), [])
})

test('a reversal and a new entry when a reopened day is signed with other figures; nothing with the same ones', async () => {
  await bring('C1', { amount: 1_000, fee: 15 })
  await close()
  await reopen()
  await close()
  assert.deepEqual(
    (await entries()).map(({ number, kind }) => [number, kind]),
    [[1, 'day']],
  )
  await reopen()
  await bring('C2', { amount: 10, fee: 5 })
  await close()
  const lines = (amount: number) => [`wallet 552  ${-amount}`, `operator_fees 6317  ${amount}`]
  assert.deepEqual(await summary(), [
    [1, 'day', WALLET, 1, null, lines(1_500)],
    [2, 'reversal', WALLET, 3, 1, lines(-1_500)],
    [3, 'day', WALLET, 3, null, lines(2_000)],
  ])
  assert.deepEqual(await verifyJournal(desk.pool), [])
})

const CODES: JournalCodes = {
  journal: 'OM',
  accounts: { ...DEFAULT_CODES.accounts, operator_fees: '6318' },
  wallets: { [WALLET]: '55203' },
}

test('own_proposal for one person; after another confirmed, new entries have the new accounts, and a file of old ones the same bytes', async () => {
  await bring('D1', { amount: 1_000, fee: 15 })
  await bring('D2', { amount: 500, fee: 5, day: NEXT })
  await close()
  const file = {
    applicationId: desk.applicationId,
    from: DAY,
    to: DAY,
    currency: 'XOF',
    format: 'sage',
    language: 'fr',
    after: '',
  } as const
  const before = await readJournalFile(desk.pool, file)
  const { confirm } = await change('journal.accounts', CODES)
  assert.deepEqual(await confirm(chief), { ok: false, error: 'own_proposal' })
  must(await confirm())
  await close(NEXT)
  assert.deepEqual(await readJournalFile(desk.pool, file), before)
  const [, second] = await entries()
  assert.deepEqual([second?.journal, second?.mappingVersion, second?.lines.map(({ code }) => code)], ['OM', 1, ['55203', '6318']])
  // The reversal of an entry has the accounts of that entry.
  await reopen()
  await bring('D3', { amount: 10, fee: 5 })
  await close()
  const [, , reversal, fresh] = await entries()
  assert.deepEqual([reversal?.journal, reversal?.lines.map(({ code }) => code)], ['MM', ['552', '6317']])
  assert.deepEqual([fresh?.journal, fresh?.lines.map(({ code }) => code)], ['OM', ['55203', '6318']])
  assert.deepEqual(await verifyJournal(desk.pool), [])
})

test('refused accounts: a maker proposes, an account is missing, a code is a formula, a wallet does not exist', async () => {
  const { applicationId } = desk
  const maker = await personWith(['maker'])
  const propose = (input: Record<string, unknown>, actor = chief ?? desk.actor) =>
    proposeChange(desk.pool, { applicationId, kind: 'journal.accounts', input, actor })
  assert.deepEqual(await propose(CODES, maker), { ok: false, error: 'not_permitted' })
  const { gain: _, ...some } = CODES.accounts
  for (const input of [
    { ...CODES, accounts: some },
    { ...CODES, accounts: { ...CODES.accounts, taxes: '=1+1' } },
    { ...CODES, wallets: { NOBODY: '55209' } },
    { ...CODES, journal: '' },
  ])
    assert.deepEqual(await propose(input), { ok: false, error: 'invalid' })
})

test('named by verify: a day without its entry or with two, a gap, other amounts, other accounts, whoever wrote them', async () => {
  await bring('E1', { amount: 1_000, fee: 15 })
  await bring('E2', { amount: 500, fee: 5, day: NEXT })
  for (const day of [DAY, NEXT]) await close(day)
  const found = async (...statements: string[]) => {
    const client = await desk.pool.connect()
    try {
      await client.query('begin')
      for (const table of ['journal_entries', 'journal_lines']) await client.query(`alter table ${table} disable trigger all`)
      for (const statement of statements) await client.query(statement)
      return (await verifyJournal(client)).map(({ subject, detail }) => `${subject.slice(37)}: ${detail}`)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  assert.deepEqual(await found('delete from journal_entries where number = 2'), [`${WALLET} ${NEXT}: its certificate has no journal entry`])
  assert.ok((await found('delete from journal_entries where number = 1')).includes('entry 2: the numbers before it have a gap'))
  assert.deepEqual(await found('update journal_lines set amount_minor = amount_minor + 1 where number = 1 and place = 1'), [
    'entry 1: its debits and credits differ',
    'entry 1: its amounts are not those of its certificate',
    `${WALLET} ${DAY}: its certificate has no journal entry`,
  ])
  assert.deepEqual(await found("update journal_lines set code = '700' where number = 1 and place = 1"), [
    'entry 1: its accounts are not those that were valid',
  ])
  const twice = [
    'insert into journal_entries select (e).* from (select jsonb_populate_record(e, \'{"number": 3, "version": 2}\') as e from journal_entries e where number = 1) one',
    'insert into journal_lines select (l).* from (select jsonb_populate_record(l, \'{"number": 3}\') as l from journal_lines l where number = 1) one',
  ]
  assert.deepEqual(await found(...twice), [
    'entry 3: its certificate does not exist',
    `${WALLET} ${DAY}: its certificate has no journal entry`,
  ])
})

test('refused by the tables: an entry after a gap, one that does not balance, a line for a numbered one, and any change', async () => {
  await bring('F1', { amount: 1_000, fee: 15 })
  await close()
  const insert = (number: number, amount: number) =>
    desk.pool.query(
      `with e as (insert into journal_entries (application_id, number, kind, wallet, day, version, currency, mapping_version, journal, debit_minor)
                    values ($1, $2, 'day', 'OMCM', '2026-01-01', 1, 'XAF', 0, 'MM', 100))
       insert into journal_lines (application_id, number, place, account, code, amount_minor)
         values ($1, $2, 1, 'wallet', '552', 100), ($1, $2, 2, 'gain', '7588', -$3::integer)`,
      [desk.applicationId, number, amount],
    )
  await assert.rejects(insert(3, 100), /gap before entry 3/)
  await assert.rejects(insert(2, 99), /entry 2 does not balance/)
  await assert.rejects(
    desk.pool.query(
      `insert into journal_lines (application_id, number, place, account, code, amount_minor) values ($1, 1, 9, 'gain', '1', 5)`,
      [desk.applicationId],
    ),
    /entry 1 does not balance/,
  )
  await assert.rejects(desk.pool.query('update journal_entries set number = 7'), /never changed/)
  await assert.rejects(desk.pool.query('delete from journal_lines'), /never changed/)
})
