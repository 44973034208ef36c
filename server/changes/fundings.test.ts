import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { type ChangeKindName, FUNDING_KINDS } from '#lib/approvals/proposed-change.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { readBalances, readPostingKinds } from '#server/ledger/testing.ts'
import { codeProof } from '#server/people/testing/test-people.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { confirmChange, refuseChange, withdrawChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const FILE = { name: 'avis-de-virement.pdf', sha256: 'a1'.repeat(32) }
type Funding = readonly [kind: ChangeKindName, input: Record<string, unknown>]
const CONTENT = { operator: 'MOMOCM', amountMinor: '500000', reference: 'FT-2026/0042', note: '', document: FILE }
const payIn = (input: Record<string, unknown> = {}): Funding => ['funding.pay_in', { ...CONTENT, ...input }]
const move = (input: Record<string, unknown> = {}): Funding => ['funding.move', { ...CONTENT, document: null, ...input }]
const correction = (input: Record<string, unknown>): Funding => ['funding.correction', { ...CONTENT, account: 'deposit', ...input }]

async function actorOf(applicationId: string, roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** An application with a finance officer and an administrator. */
async function scene() {
  const applicationId = await makeApplication(database.pool)
  const [fatou, serge] = [await actorOf(applicationId, ['finance']), await actorOf(applicationId, ['administrator'])]
  const propose = ([kind, input]: Funding = payIn(), actor = fatou) => proposeChange(database.pool, { applicationId, kind, input, actor })
  const confirm = (changeId: string, actor = serge) =>
    confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor })
  const collect = (amountMinor: string) => made(correction({ account: 'collect', amountMinor, reference: randomUUID() }))
  async function made(funding: Funding): Promise<string> {
    const changeId = await proposed(propose(funding))
    assert.deepEqual(await confirm(changeId), { ok: true, value: { secret: null } })
    return changeId
  }
  const listed = async () => (await listChanges(database.pool, { applicationId, kinds: FUNDING_KINDS, actor: fatou })).changes
  return {
    applicationId,
    fatou,
    serge,
    propose,
    confirm,
    made,
    collect,
    listed,
    balances: () => readBalances(database.pool, applicationId),
  }
}

async function proposed(result: ReturnType<typeof proposeChange>): Promise<string> {
  const value = await result
  assert.ok(value.ok, JSON.stringify(value))
  return value.value.changeId
}

const refusedFor = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })

test('nothing posted until the second person confirms; then posted, listed and audited with both people and both balances', async () => {
  const { applicationId, fatou, serge, propose, confirm, listed, balances } = await scene()
  const changeId = await proposed(propose())
  assert.deepEqual(await balances(), [0n, 0n, 0n, 0n, 0n, 0n])
  assert.ok((await confirm(changeId)).ok)
  assert.deepEqual(await balances(), [0n, 500_000n, 0n, 0n, -500_000n, 0n])
  const [first] = await listed()
  assert.deepEqual([first?.state, first?.decidedBy?.personId, first?.mayDecide], ['confirmed', serge.id, 'decided'])
  assert.deepEqual([first?.before['depositMinor'], first?.after['depositMinor']], ['0', '500000'])
  assert.deepEqual([first?.after['document'], first?.after['documentSha256']], [FILE.name, FILE.sha256])
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor.id]),
    [
      ['change.confirmed', serge.id],
      ['balance.funded', serge.id],
      ['change.proposed', fatou.id],
    ],
  )
  assert.deepEqual(entries[0]?.details['before'], { operator: 'MOMOCM', collectMinor: '0', depositMinor: '0' })
  assert.deepEqual([entries[0]?.details['kind'], entries[0]?.details['proposedBy']], ['funding.pay_in', fatou.id])
  const { operator, currency, amountMinor, reference, collectMinor, depositMinor, documentSha256 } = {
    ...Object(entries[0]?.details['after']),
  }
  assert.deepEqual(
    [operator, currency, amountMinor, reference, collectMinor, depositMinor, documentSha256],
    ['MOMOCM', 'XAF', '500000', 'FT-2026/0042', '0', '500000', FILE.sha256],
  )
  assert.ok((await verifyAuditChain(database.pool, applicationId)).ok)
})

test('a move takes from the collect balance, corrections raise and lower either; verify is clean and each is one line of the statement', async () => {
  const { applicationId, made, collect, balances } = await scene()
  await collect('900000')
  await made(move({ amountMinor: '250050' }))
  await made(correction({ amountMinor: '-50000', reference: 'Operator fee 3' }))
  assert.deepEqual(await balances(), [649_950n, 200_050n, 0n, 0n, -850_000n, 0n])
  const { lines } = await readStatementLines(database.pool, {
    applicationId,
    businessZone: 'UTC',
    operator: 'MOMOCM',
    filter: { dates: 'thisMonth', from: null, to: null },
    now: new Date(),
    kind: null,
    page: 0,
  })
  assert.deepEqual(
    lines.map(({ kind, collect, deposit, balance }) => [kind, collect, deposit, balance]),
    [
      ['correct', '9000', '0', '9000'],
      ['move', '-2500.5', '2500.5', '9000'],
      ['correct', '0', '-500', '8500'],
    ],
  )
  assert.equal(lines[2]?.reason, 'Operator fee 3 · Test person, Test person')
  assert.deepEqual(await verifyDatabase(database.pool), [])
})

test('own_proposal for the proposer, also by a direct write to the table', async () => {
  const { applicationId, fatou, propose, confirm, balances } = await scene()
  const changeId = await proposed(propose())
  assert.deepEqual(await confirm(changeId, fatou), { ok: false, error: 'own_proposal' })
  const refused = await refuseChange(database.pool, { applicationId, changeId, reason: 'no', actor: fatou })
  assert.deepEqual(refused, { ok: false, error: 'own_proposal' })
  await assert.rejects(
    database.pool.query(
      `update proposed_changes set outcome = 'confirmed', decided_by = proposed_by, decided_at = now() where application_id = $1`,
      [applicationId],
    ),
    /two_people_make_a_change/,
  )
  assert.deepEqual(await balances(), [0n, 0n, 0n, 0n, 0n, 0n])
})

test('not_open for all but one of ten people who decide at the same moment; posted once', async () => {
  const { applicationId, propose, confirm, balances } = await scene()
  const changeId = await proposed(propose())
  const deciders = await Promise.all(Array.from({ length: 10 }, () => actorOf(applicationId, ['finance'])))
  const results = await Promise.all(deciders.map((actor) => confirm(changeId, actor)))
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(results.every((result) => result.ok || result.error === 'not_open'))
  assert.deepEqual(await balances(), [0n, 500_000n, 0n, 0n, -500_000n, 0n])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['fund'])
})

test('not_permitted for makers and checkers, and for a decider whose role was taken away after the page was read', async () => {
  const { applicationId, propose, confirm } = await scene()
  const changeId = await proposed(propose())
  for (const role of ['maker', 'checker'] as const) {
    const actor = await actorOf(applicationId, [role])
    assert.deepEqual(await propose(payIn(), actor), { ok: false, error: 'not_permitted' })
    assert.deepEqual(await confirm(changeId, actor), { ok: false, error: 'not_permitted' })
  }
  const demoted = await actorOf(applicationId, ['finance'])
  await database.pool.query(`update memberships set roles = '{maker}' where person_id = $1`, [demoted.id])
  assert.deepEqual(await confirm(changeId, demoted), { ok: false, error: 'not_permitted' })
  const blocked = await actorOf(applicationId, ['finance'])
  await database.pool.query('update people set is_blocked = true where person_id = $1', [blocked.id])
  assert.deepEqual(await confirm(changeId, blocked), { ok: false, error: 'not_permitted' })
})

test('proposer_gone for a funding whose proposer was blocked or lost the role meanwhile; it is refused, not posted', async () => {
  const changes = [
    'update people set is_blocked = true where person_id = $1',
    "update memberships set roles = '{maker}' where person_id = $1",
  ]
  for (const change of changes) {
    const { applicationId, fatou, serge, propose, confirm } = await scene()
    const changeId = await proposed(propose())
    await database.pool.query(change, [fatou.id])
    assert.deepEqual(await confirm(changeId), { ok: false, error: 'proposer_gone' })
    const refused = await refuseChange(database.pool, { applicationId, changeId, actor: serge, reason: 'Not known to the bank' })
    assert.deepEqual(refused, { ok: true, value: undefined })
  }
})

test('code_required, wrong_code and then posted once with a new code, where the application requires the second factor', async () => {
  const { applicationId, serge, propose, balances } = await scene()
  const device = new TOTP({ secret: new Secret({ size: 20 }) })
  await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const changeId = await proposed(propose())
  const confirm = (code?: string) =>
    confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, proof: codeProof(code), actor: serge })
  assert.deepEqual(await confirm(device.generate()), { ok: false, error: 'second_factor_missing' })
  await database.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [
    serge.id,
    keyringOfProcess().seal(totpSecretPlace(serge.id), device.secret.base32),
  ])
  assert.deepEqual(await confirm(), { ok: false, error: 'code_required' })
  assert.deepEqual(await confirm('000'), { ok: false, error: 'wrong_code' })
  assert.deepEqual((await balances()).slice(0, 2), [0n, 0n])
  const code = device.generate()
  const both = await Promise.all([confirm(code), confirm(code)])
  assert.deepEqual(both.map((result) => (result.ok ? 'posted' : result.error)).sort(), ['posted', 'wrong_code'])
  assert.deepEqual((await balances()).slice(0, 2), [0n, 500_000n])
  const entries = await listAudit(database.pool, applicationId, { size: 5 })
  assert.equal(entries.find(({ action }) => action === 'change.confirmed')?.details['withCode'], true)
})

test('not_found for a funding of another application, also under the id of that application', async () => {
  const [here, elsewhere] = [await scene(), await scene()]
  const changeId = await proposed(here.propose())
  assert.deepEqual(await elsewhere.confirm(changeId), { ok: false, error: 'not_found' })
  const forged = { applicationId: here.applicationId, changeId, actor: elsewhere.serge }
  assert.deepEqual(await confirmChange({ pool: database.pool, clock: systemClock }, forged), { ok: false, error: 'not_found' })
  assert.deepEqual(await withdrawChange(database.pool, { ...forged, actor: here.serge }), { ok: false, error: 'not_found' })
  assert.deepEqual(await here.balances(), [0n, 0n, 0n, 0n, 0n, 0n])
})

test('balance_too_low for an amount beyond the collect balance: at the proposal, and at the confirmation of two that it covers one of', async () => {
  const { propose, confirm, collect, balances } = await scene()
  assert.deepEqual(await propose(move({ amountMinor: '1' })), refusedFor('balance_too_low'))
  await collect('100000')
  const first = await proposed(propose(move({ amountMinor: '80000', reference: 'M1' })))
  const second = await proposed(propose(move({ amountMinor: '80000', reference: 'M2' })))
  const results = await Promise.all([confirm(first), confirm(second)])
  assert.deepEqual(
    results.filter((result) => !result.ok),
    [refusedFor('balance_too_low')],
  )
  assert.deepEqual((await balances()).slice(0, 2), [20_000n, 80_000n])
})

test('balance_too_low for a correction below zero, of either balance; it still waits, with what it would do now', async () => {
  const { applicationId, propose, confirm, made, listed, balances } = await scene()
  await fund(database.pool, applicationId, 'MOMOCM', 100_000n)
  const lower = { amountMinor: '-100000' }
  assert.deepEqual(await propose(correction({ ...lower, account: 'collect' })), refusedFor('balance_too_low'))
  const changeId = await proposed(propose(correction(lower)))
  await made(correction({ ...lower, reference: 'again' }))
  assert.deepEqual(await confirm(changeId), refusedFor('balance_too_low'))
  assert.deepEqual((await balances()).slice(0, 2), [0n, 0n])
  const [waiting] = await listed()
  assert.deepEqual([waiting?.changeId, waiting?.state, waiting?.obstacle], [changeId, 'open', 'balance_too_low'])
  assert.deepEqual([waiting?.before['depositMinor'], waiting?.after['depositMinor']], ['0', '-100000'])
})

test('not_open after seven days, and the reference is free again', async () => {
  const { propose, confirm, listed, balances } = await scene()
  const changeId = await proposed(propose())
  await database.pool.query('update proposed_changes set expires_at = now() where change_id = $1', [changeId])
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_open' })
  assert.deepEqual(
    (await listed()).map(({ state, mayDecide }) => [state, mayDecide]),
    [['expired', 'decided']],
  )
  assert.ok((await propose()).ok)
  assert.deepEqual((await balances()).slice(0, 2), [0n, 0n])
})

test('already_proposed and reference_booked for one bank transfer in any spelling; free in another kind, after a refusal, elsewhere', async () => {
  const { applicationId, serge, propose, confirm, made, collect } = await scene()
  const changeId = await proposed(propose())
  assert.deepEqual(await propose(payIn({ reference: 'ft 2026 0042', amountMinor: '1' })), { ok: false, error: 'already_proposed' })
  assert.ok((await refuseChange(database.pool, { applicationId, changeId, reason: 'Not on the account', actor: serge })).ok)
  await made(payIn())
  assert.deepEqual(await propose(payIn({ reference: 'ＦＴ２０２６００４２' })), refusedFor('reference_booked'))
  await collect('900000')
  assert.ok((await propose(move())).ok)
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_open' })
  assert.ok((await (await scene()).propose()).ok)
})

test('already_proposed for all but one of ten equal fundings that are proposed at the same moment', async () => {
  const { propose } = await scene()
  const results = await Promise.all(Array.from({ length: 10 }, () => propose()))
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(results.every((result) => result.ok || result.error === 'already_proposed'))
})

test('withdrawn by the proposer alone, with no effect; refused with a reason that the proposer reads', async () => {
  const { applicationId, fatou, serge, propose, listed, balances } = await scene()
  const changeId = await proposed(propose())
  const withdraw = (actor: PersonCommandActor) => withdrawChange(database.pool, { applicationId, changeId, actor })
  assert.deepEqual(await withdraw(serge), { ok: false, error: 'not_found' })
  assert.ok((await withdraw(fatou)).ok)
  assert.deepEqual(await withdraw(fatou), { ok: false, error: 'not_open' })
  const second = await proposed(propose())
  const refuse = (reason: string) => refuseChange(database.pool, { applicationId, changeId: second, reason, actor: serge })
  for (const reason of [' ', 'x'.repeat(501), 'a\0b']) assert.deepEqual(await refuse(reason), { ok: false, error: 'invalid_reason' })
  assert.ok((await refuse('The bank has no such transfer')).ok)
  assert.deepEqual(
    (await listed()).map(({ state, reason }) => [state, reason]),
    [
      ['refused', 'The bank has no such transfer'],
      ['withdrawn', ''],
    ],
  )
  assert.deepEqual((await balances()).slice(0, 2), [0n, 0n])
})

test('no_second_person where nobody else may decide', async () => {
  const applicationId = await makeApplication(database.pool)
  const fatou = await actorOf(applicationId, ['finance'])
  await makePerson(database.pool, applicationId, ['maker', 'checker'])
  const [kind, input] = payIn()
  const result = await proposeChange(database.pool, { applicationId, kind, input, actor: fatou })
  assert.deepEqual(result, { ok: false, error: 'no_second_person' })
})

test('a difference in verify for a confirmed funding without its posting', async () => {
  const { propose } = await scene()
  const changeId = await proposed(propose())
  await database.pool.query(`update proposed_changes set outcome = 'confirmed', decided_by = $2, decided_at = now() where change_id = $1`, [
    changeId,
    (await scene()).serge.id,
  ])
  assert.match((await verifyDatabase(database.pool)).join(), new RegExp(`fundings: [0-9a-f-]+ ${changeId}`))
})

for (const [why, [kind, input]] of [
  ['a pay-in that takes money away', payIn({ amountMinor: '-5' })],
  ['a move without an amount', move({ amountMinor: '0' })],
  ['an amount that is no whole number of hundredths', payIn({ amountMinor: '0.1' })],
  ['more than the largest amount', payIn({ amountMinor: '1000000000000' })],
  ['a pay-in to the collect balance', payIn({ account: 'collect' })],
  ['a pay-in without a file', payIn({ document: null })],
  ['a correction without a file', correction({ document: null })],
  ['a digest that is none', payIn({ document: { name: 'x', sha256: 'z'.repeat(64) } })],
  ['a reference of punctuation', payIn({ reference: ' -/- ' })],
  ['text that cannot be stored', payIn({ note: 'a\0b' })],
  ['an unknown operator', payIn({ operator: 'NOPE' })],
] as const) {
  test(`invalid: ${why}`, async () => {
    const { propose } = await scene()
    assert.deepEqual(await propose([kind, input]), { ok: false, error: 'invalid' })
  })
}
