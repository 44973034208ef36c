import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import type { InstallationDto, WaitingKind } from '#lib/pages/installation.ts'
import { createPool } from '#server/database/pool.ts'
import { reportProcess } from '#server/process/report-process.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readAll } from './read-installation.ts'

const APPLICATION = '019a0000-0000-7000-8000-000000000001'
const WEB = { role: 'web', webConcurrency: 1, workerConcurrency: 1 } as const

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.pool.query('truncate processes, scheduled_tasks, operator_work, webhook_deliveries, backup_notes'))
after(() => database.drop())

const read = (): Promise<InstallationDto> => readAll(database.pool)

async function waitingOf(kind: WaitingKind): Promise<{ count: number; seconds: number | null; isDelayed: boolean }> {
  const { waiting, asOf } = await read()
  const { count, oldestAt, isDelayed } = waiting.find((one) => one.kind === kind) ?? assert.fail(kind)
  return { count, isDelayed, seconds: oldestAt === null ? null : Math.round((Date.parse(asOf) - Date.parse(oldestAt)) / 1_000) }
}

/** `lease`: seconds until the claim ends; null: not claimed. */
async function insertWork({ state, age, lease = null }: { state: string; age: number; lease?: number | null }): Promise<void> {
  await database.pool.query(
    `insert into operator_work (application_id, transaction_id, operator, type, state, next_at, is_claimed, claimed_until)
       values ($1, gen_random_uuid(), 'SNWAVE', 'DEPOSIT', $2, now() - $3 * interval '1 s', $4::float8 is not null, now() + $4::float8 * interval '1 s')`,
    [APPLICATION, state, age, lease],
  )
}

test('a process from its start until it ends; one that reports no longer is silent, and other processes remove it after ten minutes', async () => {
  const web = reportProcess(database.pool, WEB)
  const parent = reportProcess(database.pool, { role: 'all', webConcurrency: 4, workerConcurrency: 2 })
  const reported = await waitUntil('both report', async () => {
    const { processes, release } = await read()
    return processes.length === 2 && processes.map((one) => ({ role: one.role, isSilent: one.isSilent, isOurs: one.release === release }))
  })
  assert.deepEqual(reported, [
    { role: 'parent', isSilent: false, isOurs: true },
    { role: 'web', isSilent: false, isOurs: true },
  ])
  await database.pool.query("update processes set seen_at = now() - interval '1 minute' where role = 'parent'")
  assert.deepEqual(
    (await read()).processes.map(({ role, isSilent }) => [role, isSilent]),
    [
      ['parent', true],
      ['web', false],
    ],
  )
  await web.stop()
  await database.pool.query("update processes set seen_at = now() - interval '11 minutes'")
  const worker = reportProcess(database.pool, { ...WEB, role: 'worker' })
  await waitUntil('only the worker is left', async () => (await read()).processes.map(({ role }) => role).join() === 'worker')
  await Promise.all([parent.stop(), worker.stop()])
  assert.deepEqual((await read()).processes, [])
})

test('the oldest work at operators that is due and that no process has claimed; what is due later or in progress does not wait', async () => {
  assert.deepEqual(await waitingOf('work'), { count: 0, seconds: null, isDelayed: false })
  await insertWork({ state: 'queued', age: -60 })
  await insertWork({ state: 'submitting', age: 500, lease: 30 })
  assert.equal((await waitingOf('work')).count, 0)
  await insertWork({ state: 'queued', age: 20 })
  assert.deepEqual(await waitingOf('work'), { count: 1, seconds: 20, isDelayed: false })
  // The process that had claimed it died.
  await insertWork({ state: 'submitted', age: 300, lease: -1 })
  assert.deepEqual(await waitingOf('work'), { count: 2, seconds: 300, isDelayed: true })
})

test('the oldest webhook that is due, counted up to a thousand', async () => {
  await database.pool.query(
    `insert into webhook_deliveries (application_id, transaction_id, target, next_at, created_at)
       select $1, gen_random_uuid(), 'https://partner.example:443', now() - n * interval '1 s', now() from generate_series(1, 1200) n`,
    [APPLICATION],
  )
  const { count, seconds, isDelayed } = await waitingOf('webhooks')
  assert.deepEqual({ count, seconds, isDelayed }, { count: 1_000, seconds: 1_200, isDelayed: true })
})

test('the oldest payment that waits for a decision, and none that was decided', async () => {
  const applicationId = await makeApplication(database.pool)
  const intake = createIntake({ pool: database.pool })
  const items = [1, 2].map(() => anIntakeItem(applicationId, { type: 'COLLECT', bands: [aBand()] }))
  for (const item of items) await intake.submit(item)
  assert.deepEqual(await waitingOf('approvals'), { count: 2, seconds: 0, isDelayed: false })
  const [first] = items
  await transition(database.pool, [
    { applicationId, transactionId: first?.transactionId ?? '', event: 'rejected', message: 'no', actor: SYSTEM_ACTOR },
  ])
  assert.equal((await waitingOf('approvals')).count, 1)
})

test('tasks that fail, with their sentence, and one that is due and that nobody runs; not those that are on time', async () => {
  await database.pool.query(
    `insert into scheduled_tasks (task, due_at, failed_since, last_error) values
       ('works', now() + interval '1 minute', null, null),
       ('fails', now() + interval '1 minute', '2026-11-23T12:00:00Z', 'relation "x" does not exist'),
       ('late', '2026-11-23T11:00:00Z', null, null)`,
  )
  assert.deepEqual((await read()).tasks, {
    count: 3,
    failing: [
      { task: 'late', since: '2026-11-23T11:00:00.000Z', failure: null },
      { task: 'fails', since: '2026-11-23T12:00:00.000Z', failure: 'relation "x" does not exist' },
    ],
  })
})

test('null for standbys that the role of the database may not read', async () => {
  assert.deepEqual((await read()).replication, { required: false, standbys: [], commitWaitMs: 0 })
  const role = `reader_${randomBytes(6).toString('hex')}`
  await database.pool.query(`create role ${role}; grant pg_read_all_data to ${role}`)
  // One connection, which keeps the role.
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'test' })
  try {
    await pool.query(`set role ${role}`)
    assert.equal((await readAll(pool)).replication.standbys, null)
  } finally {
    await pool.end()
    await database.pool.query(`drop role ${role}`)
  }
})
