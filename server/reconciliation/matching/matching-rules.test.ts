import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { DEFAULT_RULES, type MatchingRules } from '#lib/reconciliation/matching-rules.ts'
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
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MOOV_HEADER, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { matchRecent } from './match-wallet.ts'
import { replayRules } from './replay-rules.ts'

let database: TestDatabase | undefined
let desk: Desk
let chief: PersonCommandActor
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  chief = await personWith(['administrator'])
})
after(() => database?.drop())

async function personWith(roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(desk.pool, desk.applicationId, roles), applicationId: desk.applicationId, roles }
}

const WALLET = 'MLMOOV'
type Line = { id: string; hoursAgo?: number; amount?: number }
/** A line of Moov names no id of ours: it can only be found by number and amount. */
const row = ({ id, hoursAgo = 0, amount = 500 }: Line) => {
  const at = new Date(Date.now() - hoursAgo * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
  return [id, `\t${at}`, '', 'Payment', 'Completed', 'XOF', String(amount), '', '', 'Pay', '22370123456 - X', '', '']
}
const bring = (...lines: Line[]) => desk.bring(WALLET, csv([MOOV_HEADER, ...lines.map(row)]))
const pay = (amount = 500) =>
  desk.pay({ operator: 'MLMOOV', type: 'COLLECT', amountMinor: BigInt(amount) * 100n, phoneNumber: '22370123456' })

const { version: _, ...DEFAULTS } = DEFAULT_RULES
const propose = (rules: Partial<MatchingRules>, { actor = desk.actor, wallet = WALLET } = {}) =>
  proposeChange(desk.pool, { applicationId: desk.applicationId, kind: 'matching.rules', input: { wallet, ...DEFAULTS, ...rules }, actor })
const confirm = (changeId: string, actor = chief) =>
  confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId: desk.applicationId, changeId, actor })
const activate = async (rules: Partial<MatchingRules>, wallet = WALLET) =>
  must(await confirm(must(await propose(rules, { wallet })).changeId))
const matches = async () => {
  const { rows } = await desk.pool.query<{ id: string; rule: string; version: number; late: string | null }>(
    `select l.operator_id as id, m.rule, m.rule_version as version, m.late_day::text as late
       from line_matches m join statement_lines l using (application_id, line_id) order by 1`,
  )
  return rows.map(({ id, rule, version, late }) => [id, rule, version, late])
}
const replay = async (
  rules: Partial<MatchingRules>,
  { wallet: id = WALLET, ...limits }: { wallet?: string; candidatesMax?: number } = {},
) => {
  const wallet = (await readWallet(desk.pool, desk.applicationId, id)) ?? assert.fail('no wallet')
  const proposed = { ...DEFAULTS, ...rules }
  return replayRules(desk.pool, { applicationId: desk.applicationId, wallet, proposed, now: new Date(), ...limits })
}

test('own_proposal for one person, not_permitted for a maker, invalid outside the bounds, no_difference for the present rules', async () => {
  const maker = await personWith(['maker'])
  assert.deepEqual(await propose({ beforeHours: 3 }, { actor: maker }), { ok: false, error: 'not_permitted' })
  for (const wrong of [{ beforeHours: 49 }, { beforeHours: -1 }, { afterHours: 0 }, { afterHours: 169 }, { afterHours: 1.5 }])
    assert.deepEqual(await propose(wrong), { ok: false, error: 'invalid' })
  assert.deepEqual(await propose({}), { ok: false, error: 'no_difference' })
  const { changeId } = must(await propose({ beforeHours: 3 }))
  assert.deepEqual(await confirm(changeId, desk.actor), { ok: false, error: 'own_proposal' })
  must(await confirm(changeId))
})

test('each match keeps the version that made it: what was open is matched by the new one, what was matched stays', async () => {
  await pay(700)
  await pay()
  await bring({ id: 'A', amount: 700 }, { id: 'B', hoursAgo: 3 })
  assert.deepEqual(await matches(), [['A', 'phone', 1, null]])
  await activate({ beforeHours: 4 })
  await matchRecent(desk.pool, new Date())
  assert.deepEqual(await matches(), [
    ['A', 'phone', 1, null],
    ['B', 'phone', 2, null],
  ])
})

test('no pair of twins under unique, and none by number under none; ids still match', async () => {
  await activate({ numberPairs: 'unique' })
  for (let count = 0; count < 2; count++) await pay()
  await pay(700)
  await bring({ id: 'A' }, { id: 'B' }, { id: 'C', amount: 700 })
  assert.deepEqual(await matches(), [['C', 'phone', 2, null]])
  await activate({ numberPairs: 'none' })
  const named = await desk.pay({ operator: 'MLMOOV', type: 'COLLECT', amountMinor: 90_000n, reference: 'D' })
  assert.ok(named)
  await pay(800)
  await bring({ id: 'D', amount: 900 }, { id: 'E', amount: 800 })
  assert.deepEqual(await matches(), [
    ['C', 'phone', 2, null],
    ['D', 'operator_id', 3, null],
  ])
})

test('a transaction with an earlier number is no candidate under present; the replay of all says that the line would have another one', async () => {
  const collect = { operator: 'BJMTN', type: 'COLLECT', amountMinor: 50_000n } as const
  const earlier = await desk.pay({ ...collect, phoneNumber: '22997123456' })
  const failed = await desk.pay({ ...collect, phoneNumber: '2290197123456', event: 'failed' })
  await activate({ phoneForms: 'present' }, 'BJMTN-collect')
  const line = mtnRow({
    Id: 'A',
    Date: new Date().toISOString().slice(0, 19).replace('T', ' '),
    Status: 'Successful',
    Type: 'Transfer',
    From: 'FRI:2290197123456/MSISDN',
    To: 'FRI:2290166000009/MSISDN',
    Amount: '500',
    Currency: 'XOF',
  })
  await desk.bring('BJMTN-collect', csv([MTN_HEADER, line]))
  const { rows } = await desk.pool.query('select transaction_id as id, rule_version as version from line_matches')
  assert.deepEqual(rows, [{ id: failed.transactionId, version: 2 }])
  const { changed, examples } = must(await replay({ phoneForms: 'all' }, { wallet: 'BJMTN-collect' }))
  assert.equal(changed, 1)
  assert.deepEqual(
    examples.map(({ effect, before, after: would }) => [effect, before?.transactionId, would?.transactionId]),
    [['changed', failed.transactionId, earlier.transactionId]],
  )
})

test('the replay counts pairs that are gained and lost, names their lines, and writes nothing', async () => {
  const [, second] = [await pay(700), await pay()]
  await bring({ id: 'A', amount: 700 }, { id: 'B', hoursAgo: 3 })
  const written = async () => {
    const { rows } = await desk.pool.query(
      'select (select count(*) from line_matches) as matches, (select count(*) from matching_rules) as rules',
    )
    return rows
  }
  const before = await written()
  const gained = must(await replay({ beforeHours: 4 }))
  assert.deepEqual([gained.lines, gained.pairedBefore, gained.pairedAfter, gained.gained, gained.lost], [2, 1, 2, 1, 0])
  assert.deepEqual(
    gained.examples.map(({ effect, operatorId, amount, before: was, after: would }) => [
      effect,
      operatorId,
      amount,
      was,
      would?.transactionId,
    ]),
    [['gained', 'B', '500', null, second.transactionId]],
  )
  const lost = must(await replay({ numberPairs: 'none' }))
  assert.deepEqual([lost.gained, lost.lost, lost.changed], [0, 1, 0])
  assert.deepEqual(
    lost.examples.map(({ effect, operatorId, after: would }) => [effect, operatorId, would]),
    [['lost', 'A', null]],
  )
  assert.deepEqual(await written(), before)
  assert.deepEqual(await replay({}, { candidatesMax: 0 }), { ok: false, error: 'too_many' })
})

test('one result for equal replays at once, and busy for a third one beside two others', async () => {
  await pay(700)
  await bring({ id: 'A', amount: 700 })
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('no wallet')
  const start = (beforeHours: number) =>
    replayRules(desk.pool, { applicationId: desk.applicationId, wallet, proposed: { ...DEFAULTS, beforeHours }, now: new Date() })
  const [first, equal, second, third] = await Promise.all([2, 2, 3, 4].map(start))
  assert.equal(first, equal)
  assert.ok(second?.ok)
  assert.deepEqual(third, { ok: false, error: 'busy' })
  assert.ok((await replay({ beforeHours: 4 })).ok)
})

test('the replay of the present rules changes nothing, and leaves out what ids and people have matched', async () => {
  await desk.pay({ operator: 'MLMOOV', type: 'COLLECT', amountMinor: 50_000n, phoneNumber: '22370123456', reference: 'A' })
  await pay(700)
  await bring({ id: 'A' }, { id: 'B', amount: 700 })
  const same = must(await replay({}))
  assert.deepEqual([same.lines, same.pairedBefore, same.pairedAfter, same.examples], [1, 1, 1, []])
})

test('a signed day stays as it was signed: its open line is matched by the new rules on the next open day', async () => {
  // Of a day that ended more than an hour ago, at any time of today.
  const day = utcDayOf(new Date(Date.now() - 47 * 3_600_000))
  await bring({ id: 'A', hoursAgo: 47 })
  await pay()
  const one = { applicationId: desk.applicationId, wallet: WALLET, day }
  const deps = { pool: desk.pool, clock: systemClock }
  must(await prepareDay(deps, { ...one, actor: desk.actor }))
  must(await signDay(deps, { ...one, actor: chief, hash: (await readCertificate(desk.pool, one))?.hash ?? '' }))
  const signed = await readCertificate(desk.pool, one)
  await activate({ beforeHours: 48 })
  await matchRecent(desk.pool, new Date())
  assert.deepEqual(await matches(), [['A', 'phone', 2, addDays(day, 1)]])
  assert.deepEqual(await readCertificate(desk.pool, one), signed)
  assert.deepEqual(await verifyDatabase(desk.pool), [])
})
