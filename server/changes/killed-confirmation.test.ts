import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { readBalances, readPostingKinds } from '#server/ledger/testing.ts'
import { markTransit } from '#server/reconciliation/treasury/mark-transit.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { confirmChange } from './decide-change.ts'
import { proposeChange } from './propose-change.ts'
import { proposeScheduledWithdrawals } from './scheduled-withdrawals.ts'
import type { ConfirmProcessPlan } from './testing/confirm-process.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const MAIN = fileURLToPath(new URL('./testing/confirm-process.ts', import.meta.url))

type Plan = ConfirmProcessPlan extends infer Each ? (Each extends unknown ? Omit<Each, 'databaseUrl'> : never) : never

function startProcess(plan: Plan): ChildProcess {
  return spawn(process.execPath, [MAIN, JSON.stringify({ ...plan, databaseUrl: database.url })], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function waitForEnd(): Promise<void> {
  await waitUntil('its connections have ended', async () => (await countSessions('state is not null')) === 0)
}

async function countSessions(condition: string): Promise<number> {
  const { rows } = await database.pool.query(
    `select 1 from pg_stat_activity where application_name = 'confirm-process' and datname = current_database() and ${condition}`,
  )
  return rows.length
}

/** Kills a process that has written everything and committed nothing: it waits for the audit chain of the application. */
async function killBeforeCommit(applicationId: string, plan: Plan): Promise<void> {
  const chain = await database.pool.connect()
  try {
    await chain.query('begin')
    await chain.query("select pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))", [applicationId])
    const early = startProcess(plan)
    const isWaiting = async () => (await countSessions("wait_event = 'advisory'")) === 1
    await waitUntil('it waits for its audit entry', isWaiting, { limitMs: 30_000 })
    await kill(early)
  } finally {
    await chain.query('rollback')
    chain.release()
  }
  await waitForEnd()
}

async function killAfterCommit(plan: Plan, isCommitted: () => Promise<boolean>): Promise<void> {
  const late = startProcess(plan)
  await waitUntil('it is committed', isCommitted, { limitMs: 30_000, pauseMs: 1 })
  await kill(late)
  await waitForEnd()
}

const document = { name: 'a.pdf', sha256: 'a1'.repeat(32) }

/** An application with a finance officer who proposes and an administrator who confirms. */
async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const person = async (role: 'finance' | 'administrator'): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(pool, applicationId, [role]),
    applicationId,
    roles: [role],
  })
  const [fatou, serge] = [await person('finance'), await person('administrator')]
  const propose = async (kind: ChangeKindName, input: Record<string, unknown>) =>
    must(await proposeChange(pool, { applicationId, kind, input, actor: fatou })).changeId
  const confirm = (changeId: string) => confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor: serge })
  const make = async (kind: ChangeKindName, input: Record<string, unknown>) => {
    const changeId = await propose(kind, input)
    must(await confirm(changeId))
    return changeId
  }
  /** 10,000 in the collect balance, and a bank account for it. */
  async function collected(): Promise<string> {
    const content = { operator: 'MOMOCM', account: 'collect', amountMinor: '1000000', reference: 'C', note: '', document }
    await make('funding.correction', content)
    return make('bank_account.add', { holder: 'Kora', bank: 'B', currency: 'XAF', number: 'CM2110002000300277976315008' })
  }
  return { applicationId, fatou, serge, propose, confirm, make, collected }
}

const runInstallation = (applicationId: string) =>
  database.pool.query('update applications set runs_installation = application_id = $1 where runs_installation or application_id = $1', [
    applicationId,
  ])

const MONEY = { operator: 'MOMOCM', amountMinor: '500000', reference: 'FT-1', note: '' }

for (const [posting, balances] of [
  ['fund', [0n, 500_000n]],
  ['withdraw', [500_000n, 0n]],
] as const) {
  test(`posted exactly once: the confirmation of a ${posting} whose process is killed before or after its commit, and which is then repeated`, async () => {
    const { pool } = database
    const { applicationId, serge, propose, confirm, collected } = await scene()
    const kinds = async () => (await readPostingKinds(pool, applicationId)).filter((kind) => kind !== 'correct')
    const changeId =
      posting === 'fund'
        ? await propose('funding.pay_in', { ...MONEY, document })
        : await propose('funding.withdrawal', { ...MONEY, account: 'collect', bankAccountId: await collected(), document: null })
    const plan = { applicationId, changeId, personId: serge.id }
    await killBeforeCommit(applicationId, plan)
    assert.deepEqual(await kinds(), [])
    await killAfterCommit(plan, async () => (await kinds()).length > 0)
    // The person, who had no answer, confirms again.
    assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_open' })
    assert.deepEqual((await readBalances(pool, applicationId)).slice(0, 2), balances)
    assert.deepEqual(await kinds(), [posting])
    const actions = (await listAudit(pool, applicationId, { size: 3 })).map(({ action }) => action)
    assert.deepEqual(actions, ['change.confirmed', 'balance.funded', 'change.proposed'])
    assert.deepEqual(await verifyDatabase(pool), [])
  })
}

test('posted exactly once: fees that are taken out, whose process is killed before or after its commit, and which are then confirmed again', async () => {
  const { pool } = database
  const { applicationId, serge, propose, confirm } = await scene()
  await runInstallation(applicationId)
  const ledger = await makeApplication(pool)
  const collect = anIntakeItem(ledger, { type: 'COLLECT', operator: 'MOMOCM', feeAppMinor: 2_500n })
  await takeIn(pool, [collect])
  await transition(pool, [{ ...collect, event: 'succeeded', message: '', actor: SYSTEM_ACTOR }])
  const changeId = await propose('adjustment.fees_out', { evidence: 'x', note: '', ledger, operator: 'MOMOCM', amountMinor: '2500' })
  const taken = async () => (await readPostingKinds(pool, ledger)).filter((kind) => kind === 'fees_out')
  const plan = { applicationId, changeId, personId: serge.id }
  await killBeforeCommit(applicationId, plan)
  assert.deepEqual(await taken(), [])
  await killAfterCommit(plan, async () => (await taken()).length > 0)
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_open' })
  assert.deepEqual(await taken(), ['fees_out'])
  assert.deepEqual(await verifyDatabase(pool), [])
})

test('marked exactly once: a withdrawal that has left, whose process is killed before or after its commit, and which is then marked again', async () => {
  const { pool } = database
  const { applicationId, fatou, make, collected } = await scene()
  await runInstallation(applicationId)
  const content = { ...MONEY, account: 'collect', bankAccountId: await collected(), document: null }
  const changeId = await make('funding.withdrawal', content)
  const marks = async () => (await pool.query('select step from transit_marks where change_id = $1', [changeId])).rows
  const leftOn = utcDayOf(new Date())
  const plan = { leftOn, applicationId, changeId, personId: fatou.id }
  await killBeforeCommit(applicationId, plan)
  assert.deepEqual(await marks(), [])
  await killAfterCommit(plan, async () => (await marks()).length > 0)
  const again = {
    applicationId,
    ledgerId: applicationId,
    changeId,
    actor: fatou,
    step: 'left',
    day: leftOn,
    reference: 'OP 1',
    now: new Date(),
  } as const
  assert.deepEqual(await markTransit(pool, again), { ok: false, error: 'already_marked' })
  assert.deepEqual(await marks(), [{ step: 'left' }])
  const acts = (await listAudit(pool, applicationId, { size: 10 })).filter(({ action }) => action === 'withdrawal.marked')
  assert.equal(acts.length, 1)
  assert.deepEqual(await verifyDatabase(pool), [])
})

test('proposed exactly once: a schedule whose process is killed before or after its commit, and which then runs again', async () => {
  const { applicationId, make, collected } = await scene()
  const bankAccountId = await collected()
  const terms = { bankAccountId, every: 'day', weekday: null, monthDay: null, minute: 480, keepMinor: '0' }
  await make('withdrawal.schedule', { operator: 'MOMOCM', account: 'collect', terms })
  const now = new Date()
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 8))
  const facts = async () => {
    const { rows } = await database.pool.query<{ change: string | null; run: string | null }>(
      `select f.change_id as change, r.change_id as run from (select * from proposed_changes where application_id = $1 and kind = 'funding.withdrawal') f
         full join (select * from withdrawal_runs where application_id = $1) r using (application_id, change_id)`,
      [applicationId],
    )
    return rows
  }
  const plan = { scheduledAt: at.toISOString() }
  await killBeforeCommit(applicationId, plan)
  assert.deepEqual(await facts(), [])
  await killAfterCommit(plan, async () => (await facts()).length > 0)
  await proposeScheduledWithdrawals({ pool: database.pool, clock: { now: () => at } }, () => false)
  const [only, ...others] = await facts()
  assert.ok(only?.change)
  assert.deepEqual([only.run, others], [only.change, []])
})
