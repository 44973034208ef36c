import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { ExceptionDetailDto } from '#lib/reconciliation/exceptions.ts'
import { exceptionFilterSchema } from '#lib/schemas/exceptions.ts'
import { DAY_MS, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { storeContradictionAnswer, storeContradictions } from '#server/operators/work/contradiction-store.ts'
import { countOpenContradictions } from '#server/reports/overview/overview-store.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { listDayItems } from '../days/list-items.ts'
import { matchByHand, undoMatch } from '../matching/match-by-hand.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, ORANGE_BF_HEADER } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { examineDays, examineRecentDays } from './examine-days.ts'
import { listExceptions, readException } from './list-exceptions.ts'
import { closeException, handOverException, noteOnException, takeException } from './work-on-exception.ts'

let database: TestDatabase | undefined
let desk: Desk
let fatou: PersonCommandActor
let serge: PersonCommandActor
let chief: PersonCommandActor
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  fatou = desk.actor
  serge = await personWith(['finance'])
  chief = await personWith(['administrator'])
})
after(() => database?.drop())

async function personWith(roles: ('finance' | 'administrator' | 'maker')[]): Promise<PersonCommandActor> {
  const id = await makePerson(desk.pool, desk.applicationId, roles)
  return { kind: 'person', id, applicationId: desk.applicationId, roles }
}

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
  String(amount),
  String(amount),
  '',
  '',
  '',
  '',
  '',
  '',
]
const bring = (...lines: Line[]) => desk.bring('BFOM', csv([ORANGE_BF_HEADER, ...lines.map(bf)]))
const collect = (amount: number, event: 'succeeded' | 'failed' = 'succeeded'): Promise<IntakeItem> =>
  desk.pay({ operator: 'BFOM', type: 'COLLECT', amountMinor: BigInt(amount) * 100n, phoneNumber: '22670123456', event })

/** The operator says later that a payment ended otherwise. */
async function contradict({ applicationId, transactionId }: IntakeItem, said: 'succeeded' | 'failed' = 'succeeded'): Promise<void> {
  await storeContradictions(desk.pool, [
    {
      item_index: 0,
      application_id: applicationId,
      transaction_id: transactionId,
      operator: 'BFOM',
      source: 'callback',
      said,
      answer: 'x',
    },
  ])
}

const list = async (query: Record<string, string> = {}, at = new Date()) => {
  const filter = exceptionFilterSchema.parse(query)
  return (await listExceptions(desk.pool, { applicationId: desk.applicationId, viewerId: fatou.id, filter, now: at })).rows
}
const classes = async (query: Record<string, string> = {}) => (await list(query)).map((each) => each.class)
const read = async (exceptionId: string): Promise<ExceptionDetailDto> => {
  const found = await readException(desk.pool, desk.applicationId, exceptionId, new Date())
  assert.ok(found)
  return found
}
const by = (actor: PersonCommandActor, exceptionId: string) => ({ applicationId: desk.applicationId, actor, exceptionId })
const refused = (error: string) => ({ ok: false, error })

async function onlyException(): Promise<ExceptionDetailDto> {
  const [first, ...others] = await list()
  assert.ok(first)
  assert.equal(others.length, 0)
  return read(first.exceptionId)
}

test('each line and transaction in a class that nothing explains is one exception, gravest first, and a second look opens none', async () => {
  const failed = await collect(4_000, 'failed')
  const refusedThere = await collect(5_000)
  const named = await collect(1_000)
  const less = await collect(2_000)
  const fine = await collect(3_000)
  await bring(
    { id: 'L1', amount: 4_000, reference: failed.transactionId },
    { id: 'L2', amount: 5_000, reference: refusedThere.transactionId, status: 'FAILED' },
    { id: 'L3', amount: 1_000, reference: named.transactionId },
    { id: 'L4', amount: 1_000, reference: named.transactionId },
    { id: 'L5', amount: 1_900, reference: less.transactionId },
    { id: 'L6', amount: 700, phone: '70999999' },
    { id: 'L7', amount: 3_000, reference: fine.transactionId },
  )
  await examineDays(desk.pool)
  const opened = ['success_failed_there', 'paid_failed_here', 'second_payment', 'unknown_payment', 'amount_differs']
  assert.deepEqual(await classes(), opened)
  await examineRecentDays(desk.pool, new Date())
  await examineDays(desk.pool)
  assert.deepEqual(await classes(), opened)
  const [first] = await list()
  const { line, transaction, events, wallet } = await read(first?.exceptionId ?? '')
  assert.deepEqual([wallet, line?.operatorId, transaction?.transactionId], ['BFOM', 'L2', refusedThere.transactionId])
  assert.deepEqual(
    events.map(({ event, person }) => [event, person]),
    [['opened', null]],
  )
})

test('a contradiction is an exception at once, and one with the line that a statement brings later', async () => {
  const partner = await makeApplication(desk.pool)
  const item = await collect(1_000, 'failed')
  await contradict(item)
  const found = await onlyException()
  assert.deepEqual([found.class, found.wallet, found.day, found.line], ['contradicted', 'BFOM', null, null])
  assert.deepEqual([found.transaction?.transactionId, found.answer?.said], [item.transactionId, 'succeeded'])
  await bring({ id: 'L1', amount: 1_000, reference: item.transactionId })
  await examineDays(desk.pool)
  const named = await onlyException()
  assert.deepEqual([named.exceptionId, named.class, named.line?.operatorId], [found.exceptionId, 'paid_failed_here', 'L1'])
  assert.deepEqual(
    named.events.map(({ event }) => event),
    ['opened', 'class_changed'],
  )
  assert.deepEqual(
    (await listExceptions(desk.pool, { applicationId: partner, viewerId: '', filter: exceptionFilterSchema.parse({}), now: new Date() }))
      .rows,
    [],
  )
})

test('closed by the operator that takes its contradiction back, and opened again by the next one', async () => {
  const item = await collect(1_000, 'failed')
  await contradict(item)
  const { exceptionId } = await onlyException()
  const answer = (said: string) => storeContradictionAnswer(desk.pool, { ...item, said, httpStatus: 200, answer: said })
  await answer('failed')
  await examineDays(desk.pool)
  assert.equal((await read(exceptionId)).outcome, 'agreed')
  await answer('succeeded')
  await examineDays(desk.pool)
  assert.equal((await read(exceptionId)).state, 'open')
})

test('a late success that two people confirm closes its exception and leaves the overview; nobody closes it as adjusted before, and the status stays', async () => {
  const item = await collect(1_000, 'failed')
  await contradict(item)
  const { exceptionId } = await onlyException()
  must(await takeException(desk.pool, by(fatou, exceptionId)))
  assert.deepEqual(
    await closeException(desk.pool, { ...by(fatou, exceptionId), outcome: 'adjusted', note: 'booked' }),
    refused('not_adjusted'),
  )
  assert.equal(await countOpenContradictions(desk.pool, desk.applicationId, 10), 1)
  const { applicationId } = desk
  const input = { ledger: applicationId, transactionId: item.transactionId, evidence: 'callback', note: '', waivesFees: false }
  const { changeId } = must(await proposeChange(desk.pool, { applicationId, kind: 'adjustment.late', input, actor: fatou }))
  assert.deepEqual(
    await confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId, changeId, actor: fatou }),
    refused('own_proposal'),
  )
  assert.equal((await read(exceptionId)).state, 'owned')
  must(await confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId, changeId, actor: serge }))
  const closed = await read(exceptionId)
  assert.deepEqual([closed.outcome, closed.adjustment], ['adjusted', { changeId, kind: 'adjustment.late' }])
  assert.equal(await countOpenContradictions(desk.pool, applicationId, 10), 0)
  assert.equal((await findTransaction(desk.pool, applicationId, item.transactionId))?.status, 'FAILED')
  // The statement says the same later: it is booked, so nothing is opened again.
  await bring({ id: 'L1', amount: 1_000, reference: item.transactionId })
  await examineDays(desk.pool)
  assert.deepEqual(await classes(), [])
  // A hold and a release of its own deposit are no adjustment.
  await contradict(await desk.pay({ operator: 'BFOM', type: 'DEPOSIT', amountMinor: 100_000n, event: 'failed' }))
  const ofDeposit = by(fatou, (await onlyException()).exceptionId)
  must(await takeException(desk.pool, ofDeposit))
  assert.deepEqual(await closeException(desk.pool, { ...ofDeposit, outcome: 'adjusted', note: 'x' }), refused('not_adjusted'))
})

test('closed as matched once a person has matched the line, and opened again when the match is undone', async () => {
  const item = await collect(700)
  await bring({ id: 'L1', amount: 700, phone: '70999999' })
  await examineDays(desk.pool)
  const { exceptionId, line } = await onlyException()
  const match = { applicationId: desk.applicationId, actor: fatou, lineId: BigInt(line?.lineId ?? 0), note: 'his brother' }
  must(await matchByHand(desk.pool, { ...match, transactionId: item.transactionId }))
  await examineDays(desk.pool)
  assert.equal((await read(exceptionId)).outcome, 'matched')
  must(await undoMatch(desk.pool, match))
  await examineDays(desk.pool)
  const { state, events } = await read(exceptionId)
  assert.equal(state, 'open')
  assert.deepEqual(
    events.map(({ event }) => event),
    ['opened', 'closed', 'reopened'],
  )
})

test('the likeliest transactions without a line are beside a line that nothing explains, with what differs, and none once it is matched', async () => {
  const pay = (amount: number, phone: string, more: { reference?: string; event?: 'failed' } = {}) =>
    desk.pay({ operator: 'BFOM', type: 'COLLECT', amountMinor: BigInt(amount) * 100n, phoneNumber: `226${phone}`, ...more })
  const sameNumber = await pay(650, '70999999')
  const failed = await pay(700, '70999998', { event: 'failed' })
  const twin = await pay(700, '70999999')
  const other = await pay(900, '70111111')
  const hasLine = await pay(700, '70999999')
  await desk.pay({ operator: 'BFOM', type: 'DEPOSIT', amountMinor: 70_000n, phoneNumber: '22670999999' })
  await bring({ id: 'L1', amount: 700, phone: '70999999', reference: hasLine.transactionId }, { id: 'L2', amount: 701, phone: '70999999' })
  await examineDays(desk.pool)
  const exception = (await list()).find((each) => each.class === 'unknown_payment')
  const { candidates, line, isMatched } = await read(exception?.exceptionId ?? '')
  assert.equal(isMatched, false)
  const expected = [twin, sameNumber].map((item) => [item.transactionId, String(item.amountMinor / 100n)])
  assert.deepEqual(candidates.map(({ transactionId, amount }) => [transactionId, amount]).toSorted(), expected.toSorted())
  assert.deepEqual(new Set(candidates.map(({ differs }) => JSON.stringify(differs))).size, 1)
  assert.deepEqual(candidates[0]?.differs, { amount: true, phone: false, reference: false })
  assert.ok(![failed, other].some((item) => candidates.some(({ transactionId }) => transactionId === item.transactionId)))
  const match = { applicationId: desk.applicationId, actor: fatou, lineId: BigInt(line?.lineId ?? 0), note: 'rounded by the operator' }
  must(await matchByHand(desk.pool, { ...match, transactionId: twin.transactionId }))
  const after = await read(exception?.exceptionId ?? '')
  assert.deepEqual([after.candidates, after.isMatched], [[], true])
})

test('a success that no statement has, and the lines without a transaction of its number or its amount, are beside each other', async () => {
  const paid = await collect(700)
  await bring(
    { id: 'L1', amount: 700, phone: '70555555' },
    { id: 'L2', amount: 40 },
    { id: 'L3', amount: 41, phone: '70555555' },
    { id: 'L4', amount: 700, phone: '' },
  )
  await desk.pool.query("update statement_files set last_day = last_day + 1 where state = 'imported'")
  await examineRecentDays(desk.pool, new Date())
  await examineDays(desk.pool)
  const details = await Promise.all((await list()).map(({ exceptionId }) => read(exceptionId)))
  const absent = details.find((each) => each.class === 'success_absent_there')
  const listed = absent?.candidates.map(({ reference, amount, differs }) => [reference, amount, differs]) ?? []
  // The same number says more than the same amount.
  assert.deepEqual(listed[0], ['L2', '40', { amount: true, phone: false, reference: false }])
  assert.deepEqual(listed.slice(1).toSorted(), [
    ['L1', '700', { amount: false, phone: true, reference: false }],
    // A line without a number does not differ in it.
    ['L4', '700', { amount: false, phone: false, reference: false }],
  ])
  const wallet = (await readWallet(desk.pool, desk.applicationId, 'BFOM')) ?? assert.fail()
  const day = utcDayOf(new Date())
  const scope = { applicationId: desk.applicationId, wallet, from: day, to: day }
  const items = [
    ...(await listDayItems(desk.pool, scope, 'success_absent_there', 9)),
    ...(await listDayItems(desk.pool, scope, 'unknown_payment', 9)),
  ]
  // The items of the day lead to them.
  assert.deepEqual(items.map((item) => item.exceptionId).toSorted(), details.map((each) => each.exceptionId).toSorted())
  const ofLine = (id: string) => details.find((each) => each.line?.operatorId === id)?.candidates.map(({ transactionId }) => transactionId)
  assert.deepEqual(['L1', 'L2', 'L3', 'L4'].map(ofLine), [[paid.transactionId], [paid.transactionId], [], [paid.transactionId]])
})

test('taken by one of two people at the same moment, handed over by its owner or an administrator, closed with a reason by its owner only', async () => {
  await bring({ id: 'L1', amount: 700 })
  await examineDays(desk.pool)
  const { exceptionId } = await onlyException()
  const close = (actor: PersonCommandActor, note = 'paid back in cash') =>
    closeException(desk.pool, { ...by(actor, exceptionId), outcome: 'explained', note })
  assert.deepEqual(await close(fatou), refused('not_owner'))
  const both = await Promise.all([fatou, serge].map((actor) => takeException(desk.pool, by(actor, exceptionId))))
  assert.deepEqual(both.map((each) => each.ok).toSorted(), [false, true])
  const [owner, other] = both[0]?.ok ? [fatou, serge] : [serge, fatou]
  assert.deepEqual(await takeException(desk.pool, by(other, exceptionId)), refused('taken'))
  const handOver = (actor: PersonCommandActor, personId: string) =>
    handOverException(desk.pool, { ...by(actor, exceptionId), personId, note: 'on leave' })
  assert.deepEqual(await handOver(other, other.id), refused('not_owner'))
  assert.deepEqual(await handOver(owner, (await personWith(['maker'])).id), refused('not_a_worker'))
  must(await handOver(owner, other.id))
  must(await handOver(chief, owner.id))
  assert.deepEqual(await takeException(desk.pool, by(chief, exceptionId)), refused('not_permitted'))
  must(await noteOnException(desk.pool, { ...by(other, exceptionId), note: 'asked Orange' }))
  assert.deepEqual(await close(other), refused('not_owner'))
  assert.deepEqual(await close(chief), refused('not_permitted'))
  must(await close(owner))
  const closed = await read(exceptionId)
  assert.deepEqual([closed.outcome, closed.owner?.personId], ['explained', owner.id])
  assert.deepEqual(
    closed.events.map(({ event, note }) => [event, note]),
    [
      ['opened', ''],
      ['taken', ''],
      ['handed_over', 'on leave'],
      ['handed_over', 'on leave'],
      ['noted', 'asked Orange'],
      ['closed', 'paid back in cash'],
    ],
  )
  for (const again of [close(owner), noteOnException(desk.pool, { ...by(owner, exceptionId), note: 'x' }), handOver(owner, other.id)])
    assert.deepEqual(await again, refused('closed'))
  const audit = (await listAudit(desk.pool, desk.applicationId, { size: 20 })).map(({ action }) => action)
  assert.deepEqual(
    audit.filter((action) => action.startsWith('exception')),
    ['exception.closed', 'exception.noted', 'exception.handed_over', 'exception.handed_over', 'exception.taken', 'exceptions.examined'],
  )
  assert.equal((await verifyAuditChain(desk.pool, desk.applicationId)).ok, true)
})

test('an explained exception stays closed while nothing is new, and is opened again when its class becomes another', async () => {
  const item = await collect(1_000)
  await bring({ id: 'L0', amount: 50 })
  await desk.pool.query("update statement_files set last_day = last_day + 1 where state = 'imported'")
  await examineRecentDays(desk.pool, new Date())
  await examineDays(desk.pool)
  const absent = (await list()).find((each) => each.class === 'success_absent_there')
  assert.ok(absent)
  must(await takeException(desk.pool, by(fatou, absent.exceptionId)))
  must(await closeException(desk.pool, { ...by(fatou, absent.exceptionId), outcome: 'explained', note: 'Orange posts it on Monday' }))
  await examineRecentDays(desk.pool, new Date())
  await examineDays(desk.pool)
  assert.equal((await read(absent.exceptionId)).state, 'closed')
  await bring({ id: 'L1', amount: 1_000, reference: item.transactionId, status: 'FAILED' })
  await examineDays(desk.pool)
  const again = await read(absent.exceptionId)
  assert.deepEqual([again.class, again.state, again.owner?.personId], ['success_failed_there', 'owned', fatou.id])
})

test('listed by state, owner, age and wallet; overdue after one day where a customer lost money, otherwise after three', async () => {
  await contradict(await collect(1_000, 'failed'))
  await bring({ id: 'L1', amount: 700, phone: '70999999' })
  await examineDays(desk.pool)
  const [urgent, other] = await list()
  assert.ok(urgent && other)
  must(await takeException(desk.pool, by(fatou, other.exceptionId)))
  for (const [query, expected] of [
    [{ owner: 'me' }, ['unknown_payment']],
    [{ owner: 'nobody' }, ['contradicted']],
    [{ owner: serge.id }, []],
    [{ wallet: 'BFOM' }, ['contradicted', 'unknown_payment']],
    [{ wallet: 'OMCM' }, []],
    [{ state: 'closed' }, []],
    [{ days: '1' }, []],
  ] as const)
    assert.deepEqual(await classes(query), expected, JSON.stringify(query))
  const after2Days = new Date(Date.now() + 2 * DAY_MS)
  assert.deepEqual(
    (await list({ days: '1' }, after2Days)).map(({ isOverdue }) => isOverdue),
    [true, false],
  )
  const after4Days = new Date(Date.now() + 4 * DAY_MS)
  assert.deepEqual(
    (await list({}, after4Days)).map(({ isOverdue }) => isOverdue),
    [true, true],
  )
})

test('an import that commits while its days are examined is examined too', async () => {
  await bring({ id: 'L1', amount: 700 })
  const trx = await desk.pool.connect()
  await trx.query('begin')
  // The last step of the import of another file.
  await trx.query(
    `insert into statement_lines (application_id, wallet, line_key, occurrence, file_id, position, at, local_day, kind, gross_minor, fee_minor,
                                  tax_minor, net_minor, phone_forms, type, status)
       select application_id, wallet, 'another', 0, file_id, 2, at, local_day, kind, gross_minor, fee_minor, tax_minor, net_minor, phone_forms, type,
              status from statement_lines`,
  )
  await trx.query("update statement_files set state = 'importing'")
  await trx.query("update statement_files set state = 'imported'")
  const examined = examineDays(desk.pool)
  const isWaiting = async () => (await desk.pool.query('select 1 from pg_locks where not granted')).rowCount !== 0
  await Promise.race([examined, waitUntil('the examination waits for the import', isWaiting)])
  await trx.query('commit')
  trx.release()
  await examined
  assert.deepEqual(await classes(), ['unknown_payment', 'unknown_payment'])
  assert.equal((await desk.pool.query('select 1 from days_to_examine')).rowCount, 0)
})

test('refused by the database: adjusted without a change, explained by somebody else than its owner, and a changed history', async () => {
  await bring({ id: 'L1', amount: 700 })
  await examineDays(desk.pool)
  const close = (outcome: string) =>
    desk.pool.query('update exceptions set outcome = $1, closed_at = now(), closed_by = $2', [outcome, fatou.id])
  await assert.rejects(close('adjusted'), /money_moves_by_two/)
  await assert.rejects(close('explained'), /owner_explains/)
  await assert.rejects(desk.pool.query("update exception_events set note = 'x'"), /never changed or removed/)
})
