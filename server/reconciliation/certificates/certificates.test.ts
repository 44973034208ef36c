import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { verifyAuditChain } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { BEFORE, clock, DAY, LATER, NEXT, openSigningDesk, WALLET } from '#server/changes/testing/signing-desk.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { readDays } from '../days/read-days.ts'
import { readTie } from '../days/read-tie.ts'
import { examineDays } from '../exceptions/examine-days.ts'
import { matchByHand, undoMatch } from '../matching/match-by-hand.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { listCertificates } from './certificate-store.ts'
import { prepareDay, signDay } from './sign-day.ts'

let database: TestDatabase | undefined
let desk: Awaited<ReturnType<typeof openSigningDesk>>
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await openSigningDesk(database.pool)
})
after(() => database?.drop())

const refused = (error: string) => ({ ok: false, error })

test('a certificate with every term, both people and the digest of the file, once a second person has signed', async () => {
  const file = await desk.bringLines({ id: 'A1', amount: 500, balance: 1_500 }, { id: 'A2', amount: -200, balance: 1_300 })
  assert.deepEqual(await desk.sign(), refused('not_prepared'))
  must(await desk.prepare())
  assert.equal((await desk.newest())?.state, 'prepared')
  assert.deepEqual(await desk.sign(DAY, desk.fatou), refused('own_preparation'))
  must(await desk.sign())
  const { body, state, signature } = (await desk.newest()) ?? assert.fail('it is signed')
  assert.deepEqual([state, body.version, body.previous], ['signed', 1, null])
  const { openingMinor, movementMinor, closingMinor, lineCount } = body.statement
  assert.deepEqual([openingMinor, movementMinor, closingMinor, lineCount], ['100000', '30000', '130000', 2])
  assert.deepEqual(
    body.statement.files.map(({ fileId }) => fileId),
    [file.fileId],
  )
  assert.deepEqual(body.terms, [{ class: 'unknown_payment', count: 2, amountMinor: '30000' }])
  assert.deepEqual([body.preparedBy.personId, body.signedBy?.personId, body.carriedMinor], [desk.fatou.id, desk.serge.id, '30000'])
  assert.ok(signature)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
  assert.ok((await verifyAuditChain(desk.pool, desk.applicationId)).ok)
})

test('signed as prepared: a day whose exceptions the task examines between its two people', async () => {
  await desk.bringLines({ id: 'A1', amount: 500, balance: 1_500 }, { id: 'A2', amount: -200, balance: 1_300 })
  must(await desk.prepare())
  const { rows } = await desk.pool.query('select 1 from exceptions where outcome is null and local_day = $1', [DAY])
  assert.equal(rows.length, 2)
  await examineDays(desk.pool)
  must(await desk.sign())
})

test('every open exception on the certificate of a day: its own, and those of days that were signed before', async () => {
  await desk.bringLines({ id: 'A1', amount: 500, balance: 1_500 }, { id: 'A2', amount: 5, day: NEXT, balance: 1_505 })
  await desk.close()
  await desk.close(NEXT)
  const daysOf = async (day: string) => (await desk.newest(day))?.body.exceptions.map((exception) => exception.day)
  assert.deepEqual([await daysOf(DAY), await daysOf(NEXT)], [[DAY], [DAY, NEXT]])
})

test('unexplained: one unit that the printed balances have and the lines have not keeps the day from being prepared', async () => {
  await desk.bringLines({ id: 'B0', amount: 100, balance: 1_000, day: BEFORE })
  await desk.bringLines({ id: 'B1', amount: 500, balance: 1_501 })
  assert.deepEqual(await desk.prepare(), refused('unexplained'))
  await desk.bringLines({ id: 'B2', amount: 1, day: DAY, at: '09:00:00', balance: 1_001 })
  must(await desk.prepare())
})

test('0 unexplained in one sum: opening and lines are the closing balance, and less our books it is the day and what is carried', async () => {
  const collect = () => desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 20_000n })
  const today = utcDayOf(clock.now())
  await desk.bringLines({ id: 'T1', amount: 500, balance: 1_500 }, { id: 'T2', amount: -20, day: NEXT, balance: 1_480 })
  await desk.close()
  const payment = await collect()
  await collect()
  await desk.bringLines(
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
  const { body } = (await desk.newest()) ?? assert.fail('it is signed')
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
  await desk.bringLines({ id: 'U1', amount: 500, balance: 1_500 })
  await desk.close()
  await desk.bringLines({ id: 'U2', amount: 10, day: NEXT, balance: 1_511 })
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
  await desk.bringLines({ id: 'C1', amount: 500 })
  must(await desk.prepare())
  const steal = (by: string) =>
    desk.pool.query(
      `update day_certificates set state = 'signed', signed_by = $1, signed_at = now(), key_id = gen_random_uuid(), signature = decode(repeat('00', 64), 'hex')`,
      [by],
    )
  await assert.rejects(steal(desk.fatou.id), /two_people_sign/)
  await desk.pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at)
       values ($1, '00000000-0000-4000-8000-000000000001', 'wallet.loss', 'x', '{}', '{}', '{}', $2, now())`,
    [desk.applicationId, desk.serge.id],
  )
  await desk.pool.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, wallet_minor, loss_minor, change_id, actor_id)
       values ($1, $2, 'change x', 'loss', $3, -100, 100, '00000000-0000-4000-8000-000000000001', $4)`,
    [desk.applicationId, WALLET, DAY, desk.fatou.id],
  )
  await assert.rejects(steal(desk.serge.id), /makers_do_not_sign/)
  assert.deepEqual(await desk.sign(), refused('changed'))
  must(await desk.prepare())
  assert.deepEqual(await desk.sign(), refused('maker'))
  must(await desk.sign(DAY, desk.chief))
})

test('changed: signing refuses figures that are others than those prepared, and those that the person did not see', async () => {
  await desk.bringLines({ id: 'D1', amount: 500 })
  must(await desk.prepare())
  const seen = (await desk.newest())?.hash ?? ''
  await desk.bringLines({ id: 'D2', amount: 300, at: '11:00:00' })
  assert.deepEqual(await desk.sign(), refused('changed'))
  must(await desk.prepare())
  assert.deepEqual(await signDay(desk.deps(), { ...desk.one(DAY, desk.serge), hash: seen }), refused('changed'))
  must(await desk.sign())
  assert.deepEqual(await desk.prepare(), refused('already_signed'))
})

test('not_permitted without the role, not_over within an hour of the end, not_covered without a statement, previous_open after a gap', async () => {
  const engineer = await desk.personWith(['engineer'])
  assert.deepEqual(await desk.prepare(DAY, engineer), refused('not_permitted'))
  assert.deepEqual(await desk.prepare(DAY), refused('not_covered'))
  const soonAfter = { now: () => new Date(`${NEXT}T00:59:59Z`) }
  assert.deepEqual(await prepareDay({ pool: desk.pool, clock: soonAfter }, desk.one(DAY, desk.fatou)), refused('not_over'))
  await desk.bringLines({ id: 'E1', amount: 500 }, { id: 'E2', amount: 5, day: LATER })
  await desk.close()
  assert.deepEqual(await desk.prepare(LATER), refused('previous_open'))
  assert.deepEqual(await desk.prepare(BEFORE), refused('not_covered'))
  await desk.bringLines({ id: 'E0', amount: 5, day: BEFORE })
  assert.deepEqual(await desk.prepare(BEFORE), refused('before_first'))
})

test('not_permitted to sign for a person who has lost the role since the request began', async () => {
  await desk.bringLines({ id: 'P1', amount: 500 })
  must(await desk.prepare())
  await desk.pool.query("update memberships set roles = array['engineer'] where person_id = $1", [desk.serge.id])
  assert.deepEqual(await desk.sign(), refused('not_permitted'))
})

test('signed with the balance that people set, carried over days whose statement prints none; opening_differs where it prints another', async () => {
  await desk.pool.query(
    `insert into wallets (application_id, wallet, zone, cutoff_minute, opening_day, opening_minor, changed_by) values ($1, $2, 'UTC', 0, $3, 100000, $4)`,
    [...[desk.applicationId, WALLET, DAY, desk.fatou.id]],
  )
  await desk.bringLines({ id: 'O1', amount: 500 }, { id: 'O2', amount: -20, day: NEXT })
  for (const day of [DAY, NEXT]) await desk.close(day)
  const balances = async (day: string) => {
    const { openingMinor, closingMinor } = (await desk.newest(day))?.body.statement ?? assert.fail('it is signed')
    return [openingMinor, closingMinor]
  }
  assert.deepEqual(await balances(DAY), ['100000', '150000'])
  assert.deepEqual(await balances(NEXT), ['150000', '148000'])
  await desk.bringLines({ id: 'O3', amount: 10, day: LATER, balance: 1_491 })
  assert.deepEqual(await desk.prepare(LATER), refused('opening_differs'))
})

test('a signed day refuses lines, matches, undo and postings, also those of the owner of the tables', async () => {
  const payment = await desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 50_000n, event: 'failed' })
  await desk.bringLines({ id: 'F1', amount: 500, reference: payment.transactionId }, { id: 'F2', amount: 700 })
  await desk.close()
  assert.deepEqual(
    await undoMatch(desk.pool, { ...desk.one(DAY, desk.fatou), lineId: await desk.lineId('F1'), note: 'x' }),
    refused('day_signed'),
  )
  await assert.rejects(desk.pool.query('delete from line_matches'), /is signed/)
  const id = await desk.lineId('F2')
  await assert.rejects(
    desk.pool.query(
      `insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, ordinal)
         select application_id, $1, matched_application_id, transaction_id, effect, 'our_id', 1, 1 from line_matches`,
      [id],
    ),
    /is signed/,
  )
  await assert.rejects(desk.postAt(DAY), /is signed/)
  await desk.postAt(NEXT)
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
  await desk.bringLines({ id: 'G1', amount: 500 }, { id: 'G2', amount: 10, day: NEXT })
  await desk.close()
  const signed = await desk.newest()
  await desk.bringLines({ id: 'G1', amount: 500 }, { id: 'G9', amount: 900, at: '12:00:00' })
  const { rows } = await desk.pool.query(
    `select local_day::text as day, origin_day::text as origin from statement_lines where operator_id = 'G9'`,
  )
  assert.deepEqual(rows, [{ day: NEXT, origin: DAY }])
  const payment = await desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 50_000n })
  const matching = {
    ...desk.one(DAY, desk.fatou),
    lineId: await desk.lineId('G1'),
    transactionId: payment.transactionId,
    note: 'found late',
  }
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
  await desk.close(NEXT)
  assert.deepEqual(await desk.newest(), signed)
  assert.equal((await desk.newest(NEXT))?.body.previous?.hash, signed?.hash)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})

test('version 2 after two administrators reopened a day; later days stay protected and are signed again, no certificate is lost', async () => {
  await desk.bringLines({ id: 'H1', amount: 500 }, { id: 'H2', amount: 10, day: NEXT }, { id: 'H4', amount: 10, day: LATER })
  for (const day of [DAY, NEXT, LATER]) await desk.close(day)
  const old = await desk.newest()
  must(await desk.reopen(DAY))
  assert.deepEqual(await desk.states(), [
    [DAY, 1, 'reopened'],
    [NEXT, 1, 'to_be_signed_again'],
    [LATER, 1, 'to_be_signed_again'],
  ])
  for (const day of [NEXT, LATER]) await assert.rejects(desk.postAt(day), /is signed/)
  await desk.bringLines({ id: 'H3', amount: 900, at: '12:00:00' })
  assert.deepEqual(await desk.prepare(NEXT), refused('previous_open'))
  for (const day of [DAY, NEXT, LATER]) await desk.close(day)
  assert.deepEqual(await desk.states(), [
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
  await desk.bringLines({ id: 'I1', amount: 500 })
  await desk.close()
  const { applicationId } = desk
  const input = { wallet: WALLET, day: DAY, note: 'x' }
  const propose = (actor: PersonCommandActor) => proposeChange(desk.pool, { applicationId, kind: 'day.reopen', input, actor })
  assert.deepEqual(await propose(desk.fatou), refused('not_permitted'))
  const { changeId } = must(await propose(desk.chief ?? desk.fatou))
  assert.deepEqual(await confirmChange(desk.deps(), { applicationId, changeId, actor: desk.chief ?? desk.fatou }), refused('own_proposal'))
  assert.deepEqual(await confirmChange(desk.deps(), { applicationId, changeId, actor: desk.fatou }), refused('not_permitted'))
  assert.equal((await desk.newest())?.state, 'signed')
})

test('one certificate when two people sign at once, and a day whose figures a match changes meanwhile is not signed', async () => {
  await desk.bringLines({ id: 'J1', amount: 500 })
  const payment = await desk.pay({ operator: WALLET, type: 'COLLECT', amountMinor: 50_000n, event: 'failed' })
  must(await desk.prepare())
  const hash = (await desk.newest())?.hash ?? ''
  const signed = await Promise.all(
    [desk.serge, desk.chief, desk.other].map((actor) => signDay(desk.deps(), { ...desk.one(DAY, actor), hash })),
  )
  assert.deepEqual(signed.map(({ ok }) => ok).toSorted(), [false, false, true])
  must(await desk.reopen(DAY))
  must(await desk.prepare())
  const matching = { ...desk.one(DAY, desk.fatou), lineId: await desk.lineId('J1'), transactionId: payment.transactionId, note: 'x' }
  const [matched, result] = await Promise.all([matchByHand(desk.pool, matching), desk.sign()])
  must(matched)
  const { rows } = await desk.pool.query<{ late: string | null }>('select late_day::text as late from line_matches')
  // Whichever came first: either the match is in no figure of the certificate, or there is no certificate.
  assert.deepEqual([result.ok, rows[0]?.late !== null], result.ok ? [true, true] : [false, false])
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})
