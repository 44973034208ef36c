import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { readBalances, readPostingKinds } from '#server/ledger/testing.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { confirmChange } from './decide-change.ts'
import { proposeChange } from './propose-change.ts'
import type { ConfirmProcessPlan } from './testing/confirm-process.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const MAIN = fileURLToPath(new URL('./testing/confirm-process.ts', import.meta.url))

function confirmInProcess(plan: Omit<ConfirmProcessPlan, 'databaseUrl'>): ChildProcess {
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

test('posted exactly once: a confirmation whose process is killed before or after its commit, and which is then repeated', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const person = async (role: 'finance' | 'administrator'): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(pool, applicationId, [role]),
    applicationId,
    roles: [role],
  })
  const [fatou, serge] = [await person('finance'), await person('administrator')]
  const document = { name: 'a.pdf', sha256: 'a1'.repeat(32) }
  const input = { operator: 'MOMOCM', amountMinor: '500000', reference: 'FT-1', note: '', document }
  const { changeId } = must(await proposeChange(pool, { applicationId, kind: 'funding.pay_in', input, actor: fatou }))
  const plan = { applicationId, changeId, personId: serge.id }
  const confirm = () => confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor: serge })

  // The money is posted and nothing committed: it waits for the audit chain.
  const chain = await pool.connect()
  try {
    await chain.query('begin')
    await chain.query("select pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))", [applicationId])
    const early = confirmInProcess(plan)
    const isWaiting = async () => (await countSessions("wait_event = 'advisory'")) === 1
    await waitUntil('the confirmation waits for its audit entry', isWaiting, { limitMs: 30_000 })
    await kill(early)
  } finally {
    await chain.query('rollback')
    chain.release()
  }
  await waitForEnd()
  assert.deepEqual(await readPostingKinds(pool, applicationId), [])

  const late = confirmInProcess(plan)
  await waitUntil('it is committed', async () => (await readPostingKinds(pool, applicationId)).length > 0, { limitMs: 30_000, pauseMs: 1 })
  await kill(late)
  await waitForEnd()
  // The person, who had no answer, confirms again.
  assert.deepEqual(await confirm(), { ok: false, error: 'not_open' })
  assert.deepEqual((await readBalances(pool, applicationId)).slice(0, 2), [0n, 500_000n])
  assert.deepEqual(await readPostingKinds(pool, applicationId), ['fund'])
  const actions = (await listAudit(pool, applicationId, { size: 9 })).map(({ action }) => action)
  assert.deepEqual(actions, ['change.confirmed', 'balance.funded', 'change.proposed'])
  assert.deepEqual(await verifyDatabase(pool), [])
})
