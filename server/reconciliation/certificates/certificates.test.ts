import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readDays } from '../days/read-days.ts'
import { readTie } from '../days/read-tie.ts'
import { examineDays } from '../exceptions/examine-days.ts'
import { matchByHand, undoMatch } from '../matching/match-by-hand.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, ORANGE_BF_HEADER } from '../testing/statements.ts'
import { verifyByReadme } from '../testing/verify-by-readme.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { writeCertificates, writePublicKeys } from './certificate-files.ts'
import { listCertificates, readCertificate } from './certificate-store.ts'
import { prepareDay, signDay } from './sign-day.ts'
import { rotateCertificateKey } from './signing-key.ts'

let database: TestDatabase | undefined
let desk: Desk
let fatou: PersonCommandActor
let serge: PersonCommandActor
let [chief, other]: PersonCommandActor[] = []
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  fatou = desk.actor
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
// The last of them has ended more than an hour ago, also just after midnight.
const [BEFORE, DAY] = [addDays(utcDayOf(now), -5), addDays(utcDayOf(now), -4)]
const [NEXT, LATER] = [addDays(DAY, 1), addDays(DAY, 2)]

type Line = { id: string; amount: number; balance?: number; day?: string; at?: string; reference?: string; status?: string }
const row = ({ id, amount, balance, day = DAY, at = '10:00:00', reference = '', status = 'SUCCESS' }: Line) => [
  `${day} ${at}`,
  status,
  id,
  '',
  '70123456',
  reference,
  'MERCHPAY',
  String(Math.abs(amount)),
  amount > 0 ? String(amount) : '',
  amount < 0 ? String(-amount) : '',
  '',
  balance === undefined ? '' : String(balance - amount),
  balance === undefined ? '' : String(balance),
  '',
  '',
]
const bring = (...lines: Line[]) => desk.bring(WALLET, csv([ORANGE_BF_HEADER, ...lines.map(row)]))
const one = (day: string, actor: PersonCommandActor) => ({ applicationId: desk.applicationId, actor, wallet: WALLET, day })
const deps = () => ({ pool: desk.pool, clock })
const prepare = (day = DAY, actor = fatou) => prepareDay(deps(), one(day, actor))
const newest = (day = DAY) => readCertificate(desk.pool, { applicationId: desk.applicationId, wallet: WALLET, day })
const sign = async (day = DAY, actor = serge) => signDay(deps(), { ...one(day, actor), hash: (await newest(day))?.hash ?? '' })
const refused = (error: string) => ({ ok: false, error })
const close = async (day = DAY) => {
  must(await prepare(day))
  must(await sign(day))
}
const reopen = async (day: string) => {
  const { applicationId } = desk
  const input = { wallet: WALLET, day, note: 'A line was missing' }
  const { changeId } = must(await proposeChange(desk.pool, { applicationId, kind: 'day.reopen', input, actor: chief ?? fatou }))
  return confirmChange(deps(), { applicationId, changeId, actor: other ?? fatou })
}
const lineId = async (operatorId: string): Promise<bigint> => {
  const { rows } = await desk.pool.query<{ id: bigint }>('select line_id as id from statement_lines where operator_id = $1', [operatorId])
  return rows[0]?.id ?? assert.fail('no such line')
}
const states = async () => {
  const all = await listCertificates(desk.pool, { applicationId: desk.applicationId, wallet: WALLET, from: BEFORE, to: LATER })
  return all.map(({ day, version, state }) => [day, version, state])
}
/** A posting dated back into a day, as only the owner of the tables could write it. */
const postAt = (day: string) =>
  desk.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, clearing_minor, at)
       values ($1, gen_random_uuid(), 'settle', 'BFOM', 'XOF', 100, -100, $2::date + interval '12 hours')`,
    [desk.applicationId, day],
  )

test('a certificate with every term, both people and the digest of the file, once a second person has signed', async () => {
  const file = await bring({ id: 'A1', amount: 500, balance: 1_500 }, { id: 'A2', amount: -200, balance: 1_300 })
  assert.deepEqual(await sign(), refused('not_prepared'))
  must(await prepare())
  assert.equal((await newest())?.state, 'prepared')
  assert.deepEqual(await sign(DAY, fatou), refused('own_preparation'))
  must(await sign())
  const { body, state, signature } = (await newest()) ?? assert.fail('it is signed')
  assert.deepEqual([state, body.version, body.previous], ['signed', 1, null])
  const { openingMinor, movementMinor, closingMinor, lineCount } = body.statement
  assert.deepEqual([openingMinor, movementMinor, closingMinor, lineCount], ['100000', '30000', '130000', 2])
  assert.deepEqual(
    body.statement.files.map(({ fileId }) => fileId),
    [file.fileId],
  )
  assert.deepEqual(body.terms, [{ class: 'unknown_payment', count: 2, amountMinor: '30000' }])
  assert.deepEqual([body.preparedBy.personId, body.signedBy?.personId, body.carriedMinor], [fatou.id, serge.id, '30000'])
  assert.ok(signature)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
  assert.ok((await verifyAuditChain(desk.pool, desk.applicationId)).ok)
})

test('signed as prepared: a day whose exceptions the task examines between its two people', async () => {
  await bring({ id: 'A1', amount: 500, balance: 1_500 }, { id: 'A2', amount: -200, balance: 1_300 })
  must(await prepare())
  const { rows } = await desk.pool.query('select 1 from exceptions where outcome is null and local_day = $1', [DAY])
  assert.equal(rows.length, 2)
  await examineDays(desk.pool)
  must(await sign())
})

test('unexplained: one unit that the printed balances have and the lines have not keeps the day from being prepared', async () => {
  await bring({ id: 'B0', amount: 100, balance: 1_000, day: BEFORE })
  await bring({ id: 'B1', amount: 500, balance: 1_501 })
  assert.deepEqual(await prepare(), refused('unexplained'))
  await bring({ id: 'B2', amount: 1, day: DAY, at: '09:00:00', balance: 1_001 })
  must(await prepare())
})

test('0 unexplained in one sum: opening and lines are the closing balance, and less our books it is the day and what is carried', async () => {
  const collect = () => desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 20_000n })
  const today = utcDayOf(now)
  await bring({ id: 'T1', amount: 500, balance: 1_500 }, { id: 'T2', amount: -20, day: NEXT, balance: 1_480 })
  await close()
  const payment = await collect()
  await collect()
  await bring(
    { id: 'T3', amount: 200, day: today, at: '00:00:00', reference: payment.transactionId, balance: 1_680 },
    { id: 'T4', amount: 7, day: today, at: '00:00:01', status: 'FAILED' },
  )
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('it exists')
  const tieOf = async (day: string) => {
    const scope = { applicationId: desk.applicationId, wallet, from: day, to: day }
    const [compared = assert.fail('it is read')] = await readDays(desk.pool, scope)
    const { classes, terms, fees } = compared
    return { tie: await readTie(desk.pool, { ...scope, compared, reported: null }), classes, terms, fees, compared }
  }
  const first = await tieOf(DAY)
  assert.deepEqual(first.classes, [{ class: 'unknown_payment', count: 1, amount: '500' }])
  assert.deepEqual(first.tie, {
    ...{ opening: '1000', isReported: false, closing: '1500' },
    ...{ booksOpening: '1000', booksClosing: '1000', difference: '500', carried: '0', unexplained: '0' },
  })
  const { body } = (await newest()) ?? assert.fail('it is signed')
  assert.deepEqual(body.statement.classes, [{ class: 'unknown_payment', count: 1, amountMinor: '50000' }])
  assert.deepEqual(body.books, { openingMinor: '100000', closingMinor: '100000' })
  // The day after is not signed yet: what it leaves is carried beside what was signed.
  const last = await tieOf(today)
  assert.deepEqual(
    last.classes.map(({ class: name, amount }) => [name, amount]),
    [
      ['matched', '200'],
      ['failed', '0'],
    ],
  )
  assert.deepEqual(
    last.terms.map(({ class: name, amount }) => [name, amount]),
    [
      ['matched', '0'],
      ['failed', '0'],
      ['in_transit', '-200'],
    ],
  )
  assert.deepEqual(last.tie, {
    ...{ opening: '1480', isReported: false, closing: '1680' },
    ...{ booksOpening: '1000', booksClosing: '1400', difference: '280', carried: '480', unexplained: '0' },
  })
  const { compared } = last
  const lacking = { ...compared, proof: '3', unexplained: '3' }
  const scope = { applicationId: desk.applicationId, wallet, from: today, to: today }
  const { unexplained, closing } = await readTie(desk.pool, { ...scope, compared: lacking, reported: null })
  assert.deepEqual([closing, unexplained], ['1683', '3'])
})

test('unexplained in the tie: an opening balance that is not the closing balance of the days before', async () => {
  await bring({ id: 'U1', amount: 500, balance: 1_500 })
  await close()
  await bring({ id: 'U2', amount: 10, day: NEXT, balance: 1_511 })
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('it exists')
  const scope = { applicationId: desk.applicationId, wallet, from: NEXT, to: NEXT }
  const [compared = assert.fail('it is read')] = await readDays(desk.pool, { ...scope, from: NEXT })
  const printed = {
    ...compared,
    rows: compared.rows.map((row) => (row.name === 'opening' ? { ...row, statement: '1501' } : row)),
    proof: '0',
  }
  const { booksOpening, unexplained } = await readTie(desk.pool, { ...scope, compared: printed, reported: null })
  assert.deepEqual([booksOpening, unexplained], ['1000', '1'])
})

test('refused by the table too: the preparer, and the maker of an adjustment of that day', async () => {
  await bring({ id: 'C1', amount: 500 })
  must(await prepare())
  const steal = (by: string) =>
    desk.pool.query(
      `update day_certificates set state = 'signed', signed_by = $1, signed_at = now(), key_id = gen_random_uuid(), signature = decode(repeat('00', 64), 'hex')`,
      [by],
    )
  await assert.rejects(steal(fatou.id), /two_people_sign/)
  await desk.pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
       values ($1, '00000000-0000-4000-8000-000000000001', 'wallet.loss', 'x', '{}', '{}', '{}', $2, now())`,
    [desk.applicationId, serge.id],
  )
  await desk.pool.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, wallet_minor, loss_minor, change_id, actor_id)
       values ($1, $2, 'change x', 'loss', $3, -100, 100, '00000000-0000-4000-8000-000000000001', $4)`,
    [desk.applicationId, WALLET, DAY, fatou.id],
  )
  await assert.rejects(steal(serge.id), /makers_do_not_sign/)
  assert.deepEqual(await sign(), refused('changed'))
  must(await prepare())
  assert.deepEqual(await sign(), refused('maker'))
  must(await sign(DAY, chief))
})

test('changed: signing refuses figures that are others than those prepared, and those that the person did not see', async () => {
  await bring({ id: 'D1', amount: 500 })
  must(await prepare())
  const seen = (await newest())?.hash ?? ''
  await bring({ id: 'D2', amount: 300, at: '11:00:00' })
  assert.deepEqual(await sign(), refused('changed'))
  must(await prepare())
  assert.deepEqual(await signDay(deps(), { ...one(DAY, serge), hash: seen }), refused('changed'))
  must(await sign())
  assert.deepEqual(await prepare(), refused('already_signed'))
})

test('not_permitted without the role, not_over within an hour of the end, not_covered without a statement, previous_open after a gap', async () => {
  const engineer = await personWith(['engineer'])
  assert.deepEqual(await prepare(DAY, engineer), refused('not_permitted'))
  assert.deepEqual(await prepare(DAY), refused('not_covered'))
  const soonAfter = { now: () => new Date(`${NEXT}T00:59:59Z`) }
  assert.deepEqual(await prepareDay({ pool: desk.pool, clock: soonAfter }, one(DAY, fatou)), refused('not_over'))
  await bring({ id: 'E1', amount: 500 }, { id: 'E2', amount: 5, day: LATER })
  await close()
  assert.deepEqual(await prepare(LATER), refused('previous_open'))
  assert.deepEqual(await prepare(BEFORE), refused('not_covered'))
  await bring({ id: 'E0', amount: 5, day: BEFORE })
  assert.deepEqual(await prepare(BEFORE), refused('before_first'))
})

test('not_permitted to sign for a person who has lost the role since the request began', async () => {
  await bring({ id: 'P1', amount: 500 })
  must(await prepare())
  await desk.pool.query("update memberships set roles = array['engineer'] where person_id = $1", [serge.id])
  assert.deepEqual(await sign(), refused('not_permitted'))
})

test('signed with the balance that people set, carried over days whose statement prints none; opening_differs where it prints another', async () => {
  await desk.pool.query(
    `insert into wallets (application_id, wallet, zone, cutoff_minute, opening_day, opening_minor, changed_by) values ($1, $2, 'UTC', 0, $3, 100000, $4)`,
    [...[desk.applicationId, WALLET, DAY, fatou.id]],
  )
  await bring({ id: 'O1', amount: 500 }, { id: 'O2', amount: -20, day: NEXT })
  for (const day of [DAY, NEXT]) await close(day)
  const balances = async (day: string) => {
    const { openingMinor, closingMinor } = (await newest(day))?.body.statement ?? assert.fail('it is signed')
    return [openingMinor, closingMinor]
  }
  assert.deepEqual(await balances(DAY), ['100000', '150000'])
  assert.deepEqual(await balances(NEXT), ['150000', '148000'])
  await bring({ id: 'O3', amount: 10, day: LATER, balance: 1_491 })
  assert.deepEqual(await prepare(LATER), refused('opening_differs'))
})

test('a signed day refuses lines, matches, undo and postings, also those of the owner of the tables', async () => {
  const payment = await desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 50_000n, event: 'failed' })
  await bring({ id: 'F1', amount: 500, reference: payment.transactionId }, { id: 'F2', amount: 700 })
  await close()
  assert.deepEqual(await undoMatch(desk.pool, { ...one(DAY, fatou), lineId: await lineId('F1'), note: 'x' }), refused('day_signed'))
  await assert.rejects(desk.pool.query('delete from line_matches'), /is signed/)
  const id = await lineId('F2')
  await assert.rejects(
    desk.pool.query(
      `insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, ordinal)
         select application_id, $1, matched_application_id, transaction_id, effect, 'our_id', 1, 1 from line_matches`,
      [id],
    ),
    /is signed/,
  )
  await assert.rejects(postAt(DAY), /is signed/)
  await postAt(NEXT)
  await assert.rejects(
    desk.pool.query(
      `insert into statement_lines (application_id, wallet, line_key, occurrence, file_id, position, at, local_day, kind, gross_minor, fee_minor,
                                    tax_minor, net_minor, phone_forms, type, status)
         select application_id, wallet, 'new', 0, file_id, 9, at, local_day, kind, 1, 0, 0, 1, phone_forms, type, status
           from statement_lines where line_id = $1`,
      [id],
    ),
    /is signed/,
  )
  for (const change of [
    "update day_certificates set body = '{}'",
    'delete from day_certificates',
    "update day_certificates set state = 'prepared'",
  ])
    await assert.rejects(desk.pool.query(change), /certificate/)
  await assert.rejects(desk.pool.query('truncate day_certificates'), /never/)
})

test('a late line and a late match count on the next open day, and change no figure of the signed one', async () => {
  await bring({ id: 'G1', amount: 500 }, { id: 'G2', amount: 10, day: NEXT })
  await close()
  const signed = await newest()
  await bring({ id: 'G1', amount: 500 }, { id: 'G9', amount: 900, at: '12:00:00' })
  const { rows } = await desk.pool.query(
    `select local_day::text as day, origin_day::text as origin from statement_lines where operator_id = 'G9'`,
  )
  assert.deepEqual(rows, [{ day: NEXT, origin: DAY }])
  const payment = await desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 50_000n })
  const matching = { ...one(DAY, fatou), lineId: await lineId('G1'), transactionId: payment.transactionId, note: 'found late' }
  must(await matchByHand(desk.pool, matching))
  const match = await desk.pool.query('select late_day::text as day from line_matches')
  assert.deepEqual(match.rows, [{ day: NEXT }])
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('it exists')
  const [day, next] = await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: DAY, to: NEXT })
  assert.deepEqual(
    day?.terms.map(({ class: name, count }) => [name, count]),
    [['unknown_payment', 1]],
  )
  assert.deepEqual(
    next?.terms.map(({ class: name, count }) => [name, count]),
    [['unknown_payment', 2]],
  )
  await close(NEXT)
  assert.deepEqual(await newest(), signed)
  assert.equal((await newest(NEXT))?.body.previous?.hash, signed?.hash)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('version 2 after two administrators reopened a day; later days stay protected and are signed again, no certificate is lost', async () => {
  await bring({ id: 'H1', amount: 500 }, { id: 'H2', amount: 10, day: NEXT }, { id: 'H4', amount: 10, day: LATER })
  for (const day of [DAY, NEXT, LATER]) await close(day)
  const old = await newest()
  must(await reopen(DAY))
  assert.deepEqual(await states(), [
    [DAY, 1, 'reopened'],
    [NEXT, 1, 'to_be_signed_again'],
    [LATER, 1, 'to_be_signed_again'],
  ])
  for (const day of [NEXT, LATER]) await assert.rejects(postAt(day), /is signed/)
  await bring({ id: 'H3', amount: 900, at: '12:00:00' })
  assert.deepEqual(await prepare(NEXT), refused('previous_open'))
  for (const day of [DAY, NEXT, LATER]) await close(day)
  assert.deepEqual(await states(), [
    [DAY, 1, 'reopened'],
    [DAY, 2, 'signed'],
    [NEXT, 1, 'to_be_signed_again'],
    [NEXT, 2, 'signed'],
    [LATER, 1, 'to_be_signed_again'],
    [LATER, 2, 'signed'],
  ])
  const [first, second, , last] = await listCertificates(desk.pool, { applicationId: desk.applicationId, from: DAY, to: NEXT })
  assert.deepEqual([first?.text, first?.signature], [old?.text, old?.signature])
  assert.deepEqual([second?.body.replaces, second?.body.statement.lineCount, last?.body.previous?.hash], [old?.hash, 2, second?.hash])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('not_permitted to reopen: finance; own_proposal: one administrator; nothing is opened meanwhile', async () => {
  await bring({ id: 'I1', amount: 500 })
  await close()
  const { applicationId } = desk
  const input = { wallet: WALLET, day: DAY, note: 'x' }
  const propose = (actor: PersonCommandActor) => proposeChange(desk.pool, { applicationId, kind: 'day.reopen', input, actor })
  assert.deepEqual(await propose(fatou), refused('not_permitted'))
  const { changeId } = must(await propose(chief ?? fatou))
  assert.deepEqual(await confirmChange(deps(), { applicationId, changeId, actor: chief ?? fatou }), refused('own_proposal'))
  assert.deepEqual(await confirmChange(deps(), { applicationId, changeId, actor: fatou }), refused('not_permitted'))
  assert.equal((await newest())?.state, 'signed')
})

test('one certificate when two people sign at once, and a day whose figures a match changes meanwhile is not signed', async () => {
  await bring({ id: 'J1', amount: 500 })
  const payment = await desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 50_000n, event: 'failed' })
  must(await prepare())
  const hash = (await newest())?.hash ?? ''
  const signed = await Promise.all([serge, chief, other].map((actor) => signDay(deps(), { ...one(DAY, actor ?? serge), hash })))
  assert.deepEqual(signed.map(({ ok }) => ok).toSorted(), [false, false, true])
  must(await reopen(DAY))
  must(await prepare())
  const matching = { ...one(DAY, fatou), lineId: await lineId('J1'), transactionId: payment.transactionId, note: 'x' }
  const [matched, result] = await Promise.all([matchByHand(desk.pool, matching), sign()])
  must(matched)
  const { rows } = await desk.pool.query<{ late: string | null }>('select late_day::text as late from line_matches')
  // Whichever came first: either the match is in no figure of the certificate, or there is no certificate.
  assert.deepEqual([result.ok, rows[0]?.late !== null], result.ok ? [true, true] : [false, false])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('verified with its own public key after the key was rotated, and the private half of the old one is gone', async () => {
  await bring({ id: 'K1', amount: 500 }, { id: 'K2', amount: 10, day: NEXT })
  await close()
  const actor = { kind: 'system' as const, id: null }
  must(await rotateCertificateKey(desk.pool, { applicationId: desk.applicationId, actor }))
  assert.deepEqual(await rotateCertificateKey(desk.pool, { applicationId: desk.applicationId, actor }), refused('no_key'))
  await close(NEXT)
  assert.notEqual((await newest())?.keyId, (await newest(NEXT))?.keyId)
  const { rows } = await desk.pool.query('select count(private_key)::integer as private, count(*)::integer as all from certificate_keys')
  assert.deepEqual(rows, [{ private: 1, all: 2 }])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('unbroken in the program of the README, versions and a rotated key included; a change, a gap and a foreign key are found', async () => {
  await bring({ id: 'L1', amount: 500 }, { id: 'L2', amount: 10, day: NEXT }, { id: 'L3', amount: 10, day: LATER })
  for (const day of [DAY, NEXT]) await close(day)
  must(await reopen(DAY))
  must(await rotateCertificateKey(desk.pool, { applicationId: desk.applicationId, actor: { kind: 'system', id: null } }))
  for (const day of [DAY, NEXT, LATER]) await close(day)
  const scope = { applicationId: desk.applicationId, wallet: WALLET }
  const lines = (await Array.fromAsync(writeCertificates(desk.pool, scope))).flat()
  const keys = (await Array.fromAsync(writePublicKeys(desk.pool, desk.applicationId))).flat()
  assert.match(verifyByReadme(lines, keys), new RegExp(`^5 certificates, unbroken\\. The last: ${LATER}, [0-9a-f]{64}$`, 'm'))
  const of = (place: number, change: (text: string) => string) => lines.map((line, each) => (each === place ? change(line) : line))
  assert.equal(
    verifyByReadme(
      of(1, (line) => line.replace('"1000"', '"9000"').replace('50000', '90000')),
      keys,
    ),
    `${WALLET}, ${DAY}, version 2 has another hash`,
  )
  for (const [gone, name] of [
    [0, `${DAY}, version 2`],
    [1, `${NEXT}, version 2`],
    [3, `${LATER}, version 1`],
  ] as const)
    assert.equal(verifyByReadme(lines.toSpliced(gone, 1), keys), `A certificate before ${WALLET}, ${name} is missing`)
  assert.equal(verifyByReadme(lines, keys.slice(0, 1)), `${WALLET}, ${DAY}, version 1 is not signed with one of the keys`)
})

test('verify names what differs in a certificate, its chain, its lines and its postings, whoever wrote it', async () => {
  await bring({ id: 'M1', amount: 500 }, { id: 'M2', amount: 10, day: NEXT })
  for (const day of [DAY, NEXT]) await close(day)
  const tampered = async (table: string, statement: string) => {
    await desk.pool.query(`alter table ${table} disable trigger all`)
    await desk.pool.query(statement)
    await desk.pool.query(`alter table ${table} enable always trigger all`).catch(() => undefined)
    return (await verifyDatabase(desk.pool)).filter((each) => each.startsWith('certificates'))
  }
  const about = (detail: string, day = DAY) => `certificates: ${WALLET} ${day} version 1: ${detail}`
  assert.deepEqual(
    await tampered('statement_lines', "update statement_lines set gross_minor = 60000, net_minor = 60000 where operator_id = 'M1'"),
    [about('lines are not those that were signed')],
  )
  await tampered('statement_lines', "update statement_lines set gross_minor = 50000, net_minor = 50000 where operator_id = 'M1'")
  assert.deepEqual(
    await tampered('day_certificates', `update day_certificates set signature = decode(repeat('00', 64), 'hex') where day = '${DAY}'`),
    [about('its signature is wrong')],
  )
  const missing = await tampered('day_certificates', `delete from day_certificates where day = '${DAY}'`)
  assert.deepEqual(missing, [about('the certificate of the day before is missing', NEXT)])
})

test('verify names a signed day that follows a reopened version of the day before', async () => {
  await bring({ id: 'N1', amount: 500 }, { id: 'N2', amount: 10, day: NEXT })
  for (const day of [DAY, NEXT]) await close(day)
  must(await reopen(DAY))
  await close(DAY)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
  await desk.pool.query('alter table day_certificates disable trigger all')
  await desk.pool.query(`update day_certificates set state = 'signed' where day = '${NEXT}'`)
  assert.deepEqual(await verifyDatabase(desk.pool), [
    `certificates: ${WALLET} ${NEXT} version 1: it follows a version of the day before that was reopened`,
  ])
})
