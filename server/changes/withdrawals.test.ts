import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { readBalances, readPostingKinds } from '#server/ledger/testing.ts'
import { readTreasury } from '#server/reconciliation/treasury/read-treasury.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { confirmChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'
import { proposeScheduledWithdrawals } from './scheduled-withdrawals.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const IBAN = 'CM21 1000 2000 3002 7797 6315 008'
const FILE = { name: 'a.pdf', sha256: 'a1'.repeat(32) }

async function actorOf(applicationId: string, roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** An application with two finance officers, 10,000 in its collect balance at MTN Cameroon, and a bank account in its currency. */
async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const [fatou, serge] = [await actorOf(applicationId, ['finance']), await actorOf(applicationId, ['finance'])]
  const propose = (kind: ChangeKindName, input: Record<string, unknown>, actor = fatou) =>
    proposeChange(pool, { applicationId, kind, input, actor })
  const confirm = (changeId: string, actor = serge) => confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor })
  const make = async (kind: ChangeKindName, input: Record<string, unknown>) => {
    const { changeId } = must(await propose(kind, input))
    must(await confirm(changeId))
    return changeId
  }
  const collect = (amountMinor: string) =>
    make('funding.correction', { operator: 'MOMOCM', account: 'collect', amountMinor, reference: randomUUID(), note: '', document: FILE })
  await collect('1000000')
  const bankAccountId = await make('bank_account.add', { holder: 'Kora Stores SA', bank: 'Afriland', currency: 'XAF', number: IBAN })
  const content = {
    operator: 'MOMOCM',
    account: 'collect',
    bankAccountId,
    amountMinor: '400000',
    reference: 'VIR 1',
    note: '',
    document: null,
  }
  const withdraw = (input: Record<string, unknown> = {}, actor = fatou) => propose('funding.withdrawal', { ...content, ...input }, actor)
  const schedule = (terms: Record<string, unknown> | null = {}) =>
    make('withdrawal.schedule', {
      operator: 'MOMOCM',
      account: 'collect',
      terms: terms && { bankAccountId, every: 'day', weekday: null, monthDay: null, minute: 480, keepMinor: '250000', ...terms },
    })
  const run = (at: Date) => proposeScheduledWithdrawals({ pool, clock: { now: () => at } }, () => false)
  const listed = async () => (await listChanges(pool, { applicationId, kinds: ['funding.withdrawal'], actor: serge })).changes
  const treasury = (now = new Date()) => readTreasury(pool, { applicationId, carriesOut: false, now })
  const balances = () => readBalances(pool, applicationId)
  return {
    applicationId,
    fatou,
    serge,
    bankAccountId,
    propose,
    confirm,
    make,
    collect,
    withdraw,
    schedule,
    run,
    listed,
    treasury,
    balances,
  }
}

const refusedFor = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })
/** The next 08:00 UTC, when nothing but the schedule's first time is due. */
const nextEight = (days = 0) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1 + days, 8))
}

test('nothing leaves until a second person confirms; then clearing has it, it is on its way to the masked account, and verify is clean', async () => {
  const { applicationId, fatou, confirm, withdraw, treasury, balances, listed } = await scene()
  const { changeId } = must(await withdraw())
  assert.deepEqual(await confirm(changeId, fatou), { ok: false, error: 'own_proposal' })
  assert.deepEqual((await balances())[0], 1_000_000n)
  must(await confirm(changeId))
  assert.deepEqual(await balances(), [600_000n, 0n, 0n, 0n, -600_000n, 0n])
  const [change] = await listed()
  assert.equal(change?.after['bankAccount'], 'Afriland · Kora Stores SA · •••• 5008')
  const accounts = await listChanges(database.pool, { applicationId, kinds: ['bank_account.add'], actor: fatou })
  assert.deepEqual(
    accounts.changes.map(({ after }) => after['bankNumber']),
    ['•••• 5008'],
  )
  const { transit } = await treasury()
  assert.deepEqual(
    transit.map(({ amount, reference, number, marks }) => [amount, reference, number, marks]),
    [['4000', 'VIR 1', '•••• 5008', []]],
  )
  assert.ok((await verifyAuditChain(database.pool, applicationId)).ok)
  assert.deepEqual(await verifyDatabase(database.pool), [])
})

test('refused by the database: a withdrawal that one person both proposed and confirmed', async () => {
  const { applicationId, withdraw } = await scene()
  must(await withdraw())
  await assert.rejects(
    database.pool.query(
      `update proposed_changes set outcome = 'confirmed', decided_by = proposed_by, decided_at = now()
        where application_id = $1 and kind = 'funding.withdrawal'`,
      [applicationId],
    ),
    /two_people_make_a_change/,
  )
})

test('balance_too_low for all but one of ten confirmed at the same moment that the balance covers one of; held money stays', async () => {
  const { applicationId, confirm, withdraw, balances } = await scene()
  await fund(database.pool, applicationId, 'MOMOCM', 1_000_000n)
  const held = anIntakeItem(applicationId, { operator: 'MOMOCM', type: 'DEPOSIT', amountMinor: 300_000n })
  await takeIn(database.pool, [held])
  const [, depositMinor = 0n, heldMinor] = await balances()
  assert.ok(heldMinor)
  assert.deepEqual(
    await withdraw({ account: 'deposit', amountMinor: String(depositMinor + 1n), reference: 'D' }),
    refusedFor('balance_too_low'),
  )
  const waiting = await Promise.all(Array.from({ length: 10 }, (_, n) => withdraw({ amountMinor: '600000', reference: `W${n}` })))
  const results = await Promise.all(waiting.map((each) => confirm(must(each).changeId)))
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.deepEqual(
    results.filter(({ ok }) => !ok),
    Array(9).fill(refusedFor('balance_too_low')),
  )
  assert.deepEqual((await balances()).slice(0, 3), [400_000n, depositMinor, heldMinor])
  assert.equal((await readPostingKinds(database.pool, applicationId)).filter((kind) => kind === 'withdraw').length, 1)
})

test('not_open for all but one of ten confirmations of one withdrawal; posted once', async () => {
  const { applicationId, confirm, withdraw, balances } = await scene()
  const { changeId } = must(await withdraw())
  const deciders = await Promise.all(Array.from({ length: 10 }, () => actorOf(applicationId, ['finance'])))
  const results = await Promise.all(deciders.map((actor) => confirm(changeId, actor)))
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.deepEqual((await balances())[0], 600_000n)
})

test('below_minimum at the proposal and, if the minimum rose meanwhile, at the confirmation', async () => {
  const { confirm, make, withdraw } = await scene()
  const { changeId } = must(await withdraw())
  await make('withdrawal.minimum', { currency: 'XAF', minimumMinor: '400100' })
  assert.deepEqual(await confirm(changeId), refusedFor('below_minimum'))
  assert.deepEqual(await withdraw({ reference: 'VIR 2' }), refusedFor('below_minimum'))
  await make('withdrawal.minimum', { currency: 'XAF', minimumMinor: '400000' })
  must(await confirm(changeId))
})

test('bank_account_removed for a withdrawal that waited while two people removed its account; unknown or of another currency at once', async () => {
  const { bankAccountId, confirm, make, withdraw, treasury } = await scene()
  const { changeId } = must(await withdraw())
  const foreign = await make('bank_account.add', { holder: 'K', bank: 'B', currency: 'XOF', number: 'SN08SN0100152000048500003035' })
  assert.deepEqual(await withdraw({ bankAccountId: foreign, reference: 'F' }), refusedFor('other_currency'))
  assert.deepEqual(await withdraw({ bankAccountId: randomUUID(), reference: 'U' }), refusedFor('unknown_bank_account'))
  await make('bank_account.remove', { bankAccountId })
  assert.deepEqual(await confirm(changeId), refusedFor('bank_account_removed'))
  assert.deepEqual(
    (await treasury()).accounts.map((account) => account.bankAccountId),
    [foreign],
  )
  const again = await make('bank_account.add', { holder: 'Kora Stores SA', bank: 'Afriland', currency: 'XAF', number: IBAN })
  assert.deepEqual(await confirm(changeId), refusedFor('bank_account_removed'))
  must(await withdraw({ bankAccountId: again, reference: 'A' }))
})

test('wrong_check and wrong_form name the field; bank_account_exists in any spelling; a change of a stored account fails', async () => {
  const { applicationId, propose } = await scene()
  const account = { holder: 'K', bank: 'B', currency: 'XAF', number: IBAN }
  assert.deepEqual(await propose('bank_account.add', { ...account, number: IBAN.replace('7797', '7798') }), {
    ok: false,
    error: { code: 'refused', reason: 'wrong_check', fields: { number: 'wrong_check' } },
  })
  assert.deepEqual(await propose('bank_account.add', { ...account, number: '123456' }), {
    ok: false,
    error: { code: 'refused', reason: 'wrong_form', fields: { number: 'wrong_form' } },
  })
  assert.deepEqual(
    await propose('bank_account.add', { ...account, number: IBAN.toLowerCase().replaceAll(' ', '-') }),
    refusedFor('bank_account_exists'),
  )
  const change = database.pool.query("update bank_accounts set number = 'CM2110002000300277976315009' where application_id = $1", [
    applicationId,
  ])
  await assert.rejects(change, /never changed/)
  await assert.rejects(database.pool.query('delete from bank_accounts where application_id = $1', [applicationId]), /never changed/)
})

test('proposed at its time in the name of the person who set the schedule, who cannot confirm it; all above what stays, in whole francs', async () => {
  const { applicationId, fatou, confirm, collect, schedule, run, listed, balances } = await scene()
  await collect('33')
  await schedule()
  const at = nextEight()
  await run(new Date(at.getTime() - 1))
  assert.deepEqual(await listed(), [])
  await run(at)
  const [change] = await listed()
  assert.deepEqual([change?.state, change?.proposedBy.personId, change?.after['amountMinor']], ['open', fatou.id, '750000'])
  const changeId = change?.changeId ?? ''
  assert.deepEqual(await confirm(changeId, fatou), { ok: false, error: 'own_proposal' })
  must(await confirm(changeId))
  assert.deepEqual((await balances())[0], 250_033n)
  const proposal = (await listAudit(database.pool, applicationId, { size: 20 })).find(
    ({ subject, action }) => subject === changeId && action === 'change.proposed',
  )
  assert.deepEqual([proposal?.actor.kind, proposal?.details['proposedBy']], ['system', fatou.id])
})

test('proposed once by ten processes at the same moment, and not again in the same period after a refusal', async () => {
  const { applicationId, schedule, run, listed } = await scene()
  await schedule()
  const at = nextEight()
  await Promise.all(Array.from({ length: 10 }, () => run(at)))
  assert.equal((await listed()).length, 1)
  await database.pool.query(`update proposed_changes set expires_at = now() where application_id = $1 and outcome is null`, [applicationId])
  await run(new Date(at.getTime() + 60_000))
  assert.equal((await listed()).length, 1)
})

test('waiting: the next period proposes nothing while the withdrawal of the last one waits', async () => {
  const { schedule, run, listed, treasury } = await scene()
  await schedule()
  await run(nextEight())
  await run(nextEight(1))
  assert.equal((await listed()).length, 1)
  const [of] = (await treasury()).schedules
  assert.deepEqual(
    of?.runs.map(({ outcome }) => outcome),
    ['waiting', 'proposed'],
  )
})

test('missed, and never made up for: no process ran within the hour', async () => {
  const { schedule, run, listed, treasury } = await scene()
  await schedule()
  const at = nextEight()
  await run(new Date(at.getTime() + 3_600_001))
  await run(new Date(at.getTime() + 3_660_000))
  assert.deepEqual(await listed(), [])
  const [of] = (await treasury()).schedules
  assert.deepEqual(
    of?.runs.map(({ outcome, dueAt }) => [outcome, dueAt]),
    [['missed', at.toISOString()]],
  )
})

test('below_minimum when too little is above what stays; refused, proposer_gone when the person who set it has left', async () => {
  const { fatou, make, schedule, run, listed, treasury } = await scene()
  await schedule({ keepMinor: '700000' })
  await make('withdrawal.minimum', { currency: 'XAF', minimumMinor: '300100' })
  await run(nextEight())
  await database.pool.query("update memberships set roles = '{maker}' where person_id = $1", [fatou.id])
  await run(nextEight(1))
  assert.deepEqual(await listed(), [])
  const [of] = (await treasury()).schedules
  assert.deepEqual(
    of?.runs.map(({ outcome, reason }) => [outcome, reason]),
    [
      ['refused', 'proposer_gone'],
      ['below_minimum', null],
    ],
  )
})

test('nothing is due before a schedule was set, or after two people removed it; bank_account_scheduled while it leads to an account', async () => {
  const { bankAccountId, propose, confirm, schedule, run, listed, treasury } = await scene()
  await schedule()
  const { changeId } = must(await propose('bank_account.remove', { bankAccountId }))
  assert.deepEqual(await confirm(changeId), refusedFor('bank_account_scheduled'))
  await run(new Date())
  assert.deepEqual((await treasury()).schedules[0]?.runs, [])
  await schedule(null)
  await run(nextEight())
  assert.deepEqual(await listed(), [])
  must(await confirm(changeId))
})

for (const [why, terms] of [
  ['a week without its weekday', { every: 'week' }],
  ['a day with a weekday', { weekday: 1 }],
  ['the 31st', { every: 'month', monthDay: 31 }],
  ['24:00', { minute: 1440 }],
  ['less than nothing stays', { keepMinor: '-1' }],
] as const) {
  test(`invalid: a schedule with ${why}`, async () => {
    const { bankAccountId, propose } = await scene()
    const whole = { bankAccountId, every: 'day', weekday: null, monthDay: null, minute: 0, keepMinor: '0', ...terms }
    assert.deepEqual(await propose('withdrawal.schedule', { operator: 'MOMOCM', account: 'collect', terms: whole }), {
      ok: false,
      error: 'invalid',
    })
  })
}
