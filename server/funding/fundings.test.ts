import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Role } from '#lib/people/permissions.ts'
import { type FundingInput, fundingSchema } from '#lib/schemas/proposal.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { readBalances, readPostingKinds } from '#server/ledger/testing.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { confirmFunding, refuseFunding, withdrawFunding } from './decide-funding.ts'
import { listFundings } from './list-fundings.ts'
import { proposeFunding } from './propose-funding.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const FILE = { name: 'avis-de-virement.pdf', sha256: 'a1'.repeat(32) }
const PAY_IN: FundingInput = {
  kind: 'pay_in',
  operator: 'MOMOCM',
  account: 'deposit',
  amount: '5000',
  reference: 'FT-2026/0042',
  note: '',
  attachment: FILE,
}
const MOVE: FundingInput = { ...PAY_IN, kind: 'move', attachment: null }

async function actorOf(applicationId: string, roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** An application with a finance officer and an administrator. */
async function scene() {
  const applicationId = await makeApplication(database.pool)
  const [fatou, serge] = [await actorOf(applicationId, ['finance']), await actorOf(applicationId, ['administrator'])]
  const propose = (input: FundingInput = PAY_IN, actor = fatou) =>
    proposeFunding(database.pool, { applicationId, funding: fundingSchema.parse(input), actor })
  const confirm = (fundingId: string, actor = serge) =>
    confirmFunding({ pool: database.pool, clock: systemClock }, { applicationId, fundingId, actor })
  const collect = (amount: string) => made({ ...PAY_IN, kind: 'correction', account: 'collect', amount, reference: randomUUID() })
  async function made(input: FundingInput): Promise<string> {
    const fundingId = await proposed(propose(input))
    assert.deepEqual(await confirm(fundingId), { ok: true, value: undefined })
    return fundingId
  }
  return { applicationId, fatou, serge, propose, confirm, made, collect, balances: () => readBalances(database.pool, applicationId) }
}

async function proposed(result: ReturnType<typeof proposeFunding>): Promise<string> {
  const value = await result
  assert.ok(value.ok, JSON.stringify(value))
  return value.value.fundingId
}

test('nothing posted until the second person confirms; then posted, listed and audited with both people and both balances', async () => {
  const { applicationId, fatou, serge, propose, confirm, balances } = await scene()
  const fundingId = await proposed(propose())
  assert.deepEqual(await balances(), [0n, 0n, 0n, 0n, 0n, 0n])
  assert.ok((await confirm(fundingId)).ok)
  assert.deepEqual(await balances(), [0n, 500_000n, 0n, 0n, -500_000n, 0n])
  const [listed] = await listFundings(database.pool, { applicationId, actor: fatou })
  assert.deepEqual([listed?.state, listed?.decidedBy?.personId, listed?.mayDecide], ['confirmed', serge.id, 'decided'])
  assert.deepEqual(listed?.steps, [{ account: 'deposit', before: '0', after: '5000' }])
  assert.deepEqual(listed?.attachment, FILE)
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor.id]),
    [
      ['funding.confirmed', serge.id],
      ['funding.proposed', fatou.id],
    ],
  )
  assert.deepEqual(entries[0]?.details['before'], { collect: '0', deposit: '0' })
  assert.deepEqual(entries[0]?.details['after'], { collect: '0', deposit: '5000' })
  assert.equal(entries[1]?.details['attachmentSha256'], FILE.sha256)
  assert.ok((await verifyAuditChain(database.pool, applicationId)).ok)
})

test('a move takes from the collect balance, corrections raise and lower either; verify is clean and each is one line of the statement', async () => {
  const { applicationId, made, collect, balances } = await scene()
  await collect('9000')
  await made({ ...MOVE, amount: '2500.50' })
  await made({ ...PAY_IN, kind: 'correction', amount: '-500', reference: 'Operator fee 3' })
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
  const fundingId = await proposed(propose())
  assert.deepEqual(await confirm(fundingId, fatou), { ok: false, error: 'own_proposal' })
  const refused = await refuseFunding(database.pool, { applicationId, fundingId, reason: 'no', actor: fatou })
  assert.deepEqual(refused, { ok: false, error: 'own_proposal' })
  await assert.rejects(
    database.pool.query(
      `update fundings set outcome = 'confirmed', decided_by = proposed_by, decided_at = now(), collect_before_minor = 0,
         collect_after_minor = 0, deposit_before_minor = 0, deposit_after_minor = 0 where application_id = $1`,
      [applicationId],
    ),
    /two_people_move_money/,
  )
  assert.deepEqual(await balances(), [0n, 0n, 0n, 0n, 0n, 0n])
})

test('not_open for all but one of ten people who decide at the same moment; posted once', async () => {
  const { applicationId, propose, confirm, balances } = await scene()
  const fundingId = await proposed(propose())
  const deciders = await Promise.all(Array.from({ length: 10 }, () => actorOf(applicationId, ['finance'])))
  const results = await Promise.all(deciders.map((actor) => confirm(fundingId, actor)))
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(results.every((result) => result.ok || result.error === 'not_open'))
  assert.deepEqual(await balances(), [0n, 500_000n, 0n, 0n, -500_000n, 0n])
  assert.deepEqual(await readPostingKinds(database.pool, applicationId), ['fund'])
})

test('not_permitted for makers and checkers, and for a decider whose role was taken away after the page was read', async () => {
  const { applicationId, propose, confirm } = await scene()
  const fundingId = await proposed(propose())
  for (const role of ['maker', 'checker'] as const) {
    const actor = await actorOf(applicationId, [role])
    assert.deepEqual(await propose(PAY_IN, actor), { ok: false, error: 'not_permitted' })
    assert.deepEqual(await confirm(fundingId, actor), { ok: false, error: 'not_permitted' })
  }
  const demoted = await actorOf(applicationId, ['finance'])
  await database.pool.query(`update memberships set roles = '{maker}' where person_id = $1`, [demoted.id])
  assert.deepEqual(await confirm(fundingId, demoted), { ok: false, error: 'not_permitted' })
  const blocked = await actorOf(applicationId, ['finance'])
  await database.pool.query('update people set is_blocked = true where person_id = $1', [blocked.id])
  assert.deepEqual(await confirm(fundingId, blocked), { ok: false, error: 'not_permitted' })
})

test('proposer_gone for a funding whose proposer was blocked or lost the role meanwhile; it is refused, not posted', async () => {
  const changes = [
    'update people set is_blocked = true where person_id = $1',
    "update memberships set roles = '{maker}' where person_id = $1",
  ]
  for (const change of changes) {
    const { applicationId, fatou, serge, propose, confirm } = await scene()
    const fundingId = await proposed(propose())
    await database.pool.query(change, [fatou.id])
    assert.deepEqual(await confirm(fundingId), { ok: false, error: 'proposer_gone' })
    const refused = await refuseFunding(database.pool, { applicationId, fundingId, actor: serge, reason: 'Not known to the bank' })
    assert.deepEqual(refused, { ok: true, value: undefined })
  }
})

test('code_required, wrong_code and then posted once with a new code, where the application requires the second factor', async () => {
  const { applicationId, serge, propose, balances } = await scene()
  const device = new TOTP({ secret: new Secret({ size: 20 }) })
  await database.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const fundingId = await proposed(propose())
  const confirm = (code?: string) =>
    confirmFunding({ pool: database.pool, clock: systemClock }, { applicationId, fundingId, code, actor: serge })
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
  assert.equal(entries.find(({ action }) => action === 'funding.confirmed')?.details['withCode'], true)
})

test('not_found for a funding of another application, and not_permitted under the id of that application', async () => {
  const [here, elsewhere] = [await scene(), await scene()]
  const fundingId = await proposed(here.propose())
  assert.deepEqual(await elsewhere.confirm(fundingId), { ok: false, error: 'not_found' })
  const forged = { applicationId: here.applicationId, fundingId, actor: elsewhere.serge }
  assert.deepEqual(await confirmFunding({ pool: database.pool, clock: systemClock }, forged), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await withdrawFunding(database.pool, { ...forged, actor: here.serge }), { ok: false, error: 'not_found' })
  assert.deepEqual(await here.balances(), [0n, 0n, 0n, 0n, 0n, 0n])
})

test('balance_too_low for an amount beyond the collect balance: at the proposal, and at the confirmation of two that it covers one of', async () => {
  const { propose, confirm, collect, balances } = await scene()
  assert.deepEqual(await propose({ ...MOVE, amount: '0.01' }), { ok: false, error: 'balance_too_low' })
  await collect('1000')
  const first = await proposed(propose({ ...MOVE, amount: '800', reference: 'M1' }))
  const second = await proposed(propose({ ...MOVE, amount: '800', reference: 'M2' }))
  const results = await Promise.all([confirm(first), confirm(second)])
  assert.deepEqual(results.map((result) => (result.ok ? 'posted' : result.error)).sort(), ['balance_too_low', 'posted'])
  assert.deepEqual((await balances()).slice(0, 2), [20_000n, 80_000n])
})

test('balance_too_low for a correction below zero, of either balance; it still waits', async () => {
  const { applicationId, fatou, propose, confirm, balances } = await scene()
  await fund(database.pool, applicationId, 'MOMOCM', 100_000n)
  const lower = { ...PAY_IN, kind: 'correction', amount: '-1000' } as const
  assert.deepEqual(await propose({ ...lower, account: 'collect' }), { ok: false, error: 'balance_too_low' })
  const fundingId = await proposed(propose(lower))
  await proposed(propose({ ...lower, reference: 'again' })).then((other) => confirm(other))
  assert.deepEqual(await confirm(fundingId), { ok: false, error: 'balance_too_low' })
  assert.deepEqual((await balances()).slice(0, 2), [0n, 0n])
  const [waiting] = await listFundings(database.pool, { applicationId, actor: fatou })
  assert.deepEqual([waiting?.fundingId, waiting?.state, waiting?.isCovered], [fundingId, 'open', false])
})

test('not_open after seven days, and the reference is free again', async () => {
  const { applicationId, fatou, propose, confirm, balances } = await scene()
  const fundingId = await proposed(propose())
  await database.pool.query('update fundings set expires_at = now() where funding_id = $1', [fundingId])
  assert.deepEqual(await confirm(fundingId), { ok: false, error: 'not_open' })
  const [listed] = await listFundings(database.pool, { applicationId, actor: fatou })
  assert.deepEqual([listed?.state, listed?.steps], ['expired', []])
  assert.ok((await propose()).ok)
  assert.deepEqual((await balances()).slice(0, 2), [0n, 0n])
})

test('reference_waiting and reference_booked for one bank transfer in any spelling; free in another kind, after a refusal, elsewhere', async () => {
  const { applicationId, serge, propose, confirm, made, collect } = await scene()
  const first = await proposed(propose())
  assert.deepEqual(await propose({ ...PAY_IN, reference: 'ft 2026 0042', amount: '1' }), { ok: false, error: 'reference_waiting' })
  assert.ok((await refuseFunding(database.pool, { applicationId, fundingId: first, reason: 'Not on the account', actor: serge })).ok)
  await made(PAY_IN)
  assert.deepEqual(await propose({ ...PAY_IN, reference: 'ＦＴ２０２６００４２' }), { ok: false, error: 'reference_booked' })
  await collect('9000')
  assert.ok((await propose(MOVE)).ok)
  assert.deepEqual(await confirm(first), { ok: false, error: 'not_open' })
  assert.ok((await (await scene()).propose()).ok)
})

test('reference_waiting for all but one of ten equal fundings that are proposed at the same moment', async () => {
  const { propose } = await scene()
  const results = await Promise.all(Array.from({ length: 10 }, () => propose()))
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(results.every((result) => result.ok || result.error === 'reference_waiting'))
})

test('withdrawn by the proposer alone, with no effect; refused with a reason that the proposer reads', async () => {
  const { applicationId, fatou, serge, propose, balances } = await scene()
  const fundingId = await proposed(propose())
  const withdraw = (actor: PersonCommandActor) => withdrawFunding(database.pool, { applicationId, fundingId, actor })
  assert.deepEqual(await withdraw(serge), { ok: false, error: 'not_found' })
  assert.ok((await withdraw(fatou)).ok)
  assert.deepEqual(await withdraw(fatou), { ok: false, error: 'not_open' })
  const second = await proposed(propose())
  const refuse = (reason: string) => refuseFunding(database.pool, { applicationId, fundingId: second, reason, actor: serge })
  for (const reason of [' ', 'x'.repeat(501), 'a\0b']) assert.deepEqual(await refuse(reason), { ok: false, error: 'invalid_reason' })
  assert.ok((await refuse('The bank has no such transfer')).ok)
  const listed = await listFundings(database.pool, { applicationId, actor: fatou })
  assert.deepEqual(
    listed.map(({ state, reason }) => [state, reason]),
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
  const result = await proposeFunding(database.pool, { applicationId, funding: fundingSchema.parse(PAY_IN), actor: fatou })
  assert.deepEqual(result, { ok: false, error: 'no_second_person' })
})

test('a difference in verify for a confirmed funding without its posting', async () => {
  const { propose } = await scene()
  const fundingId = await proposed(propose())
  await database.pool.query(
    `update fundings set outcome = 'confirmed', decided_by = $2, decided_at = now(), collect_before_minor = 0, collect_after_minor = 0,
       deposit_before_minor = 0, deposit_after_minor = 500000 where funding_id = $1`,
    [fundingId, (await scene()).serge.id],
  )
  assert.match((await verifyDatabase(database.pool)).join(), new RegExp(`fundings: [0-9a-f-]+ ${fundingId}`))
})

for (const [why, input] of [
  ['a pay-in that takes money away', { ...PAY_IN, amount: '-5' }],
  ['a move without an amount', { ...MOVE, amount: '0' }],
  ['three decimals', { ...PAY_IN, amount: '0.001' }],
  ['more than the largest amount', { ...PAY_IN, amount: '10000000000' }],
  ['a pay-in to the collect balance', { ...PAY_IN, account: 'collect' }],
  ['a pay-in without a file', { ...PAY_IN, attachment: null }],
  ['a digest that is none', { ...PAY_IN, attachment: { name: 'x', sha256: 'z'.repeat(64) } }],
  ['a reference of punctuation', { ...PAY_IN, reference: ' -/- ' }],
  ['text that cannot be stored', { ...PAY_IN, note: 'a\0b' }],
  ['an unknown operator', { ...PAY_IN, operator: 'NOPE' }],
] as const) {
  test(`refused by the schema: ${why}`, () => {
    assert.ok(!fundingSchema.safeParse(input).success)
  })
}
