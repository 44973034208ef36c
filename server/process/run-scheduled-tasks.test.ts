import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { freePort } from '#server/database/embedded.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { runScheduledTasks, type ScheduledTask, scheduledTask } from './run-scheduled-tasks.ts'
import { nextRunAt, parseSchedule } from './schedule.ts'
import { get, isReady, MAIN, PRODUCTION, startNode, stop } from './testing.ts'

let database: TestDatabase
const runners: { stop(): Promise<void> }[] = []

before(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.pool.query('truncate scheduled_tasks'))
afterEach(() => Promise.all(runners.splice(0).map((runner) => runner.stop())))
after(() => database.drop())

/** Runs these tasks, with pauses short enough for a test. */
function run(tasks: ScheduledTask[], { leaseMs = 60_000 } = {}): { stop(): Promise<void> } {
  const runner = runScheduledTasks({ pool: database.pool, tasks, pollMs: 5, leaseMs, backoff: { firstMs: 5, maxMs: 5, factor: 1 } })
  runners.push(runner)
  return runner
}

type Row = { task: string; attempts: number; is_due: boolean; is_claimed: boolean }

async function rows(): Promise<Row[]> {
  const { rows: all } = await database.pool.query<Row>(
    `select task, attempts, due_at <= now() as is_due, claim_id is not null as is_claimed from scheduled_tasks order by task`,
  )
  return all
}

/** Makes every task due now, as soon as they are known. */
const makeDue = (count = 1) =>
  waitUntil('the tasks are due', async () => (await database.pool.query('update scheduled_tasks set due_at = now()')).rowCount === count)

for (const [pattern, after_, expected] of [
  ['* * * * *', '2026-11-23T10:30:46Z', '2026-11-23T10:31:00.000Z'],
  ['*/5 * * * *', '2026-11-23T10:30:00Z', '2026-11-23T10:35:00.000Z'],
  ['23 * * * *', '2026-11-23T10:23:00Z', '2026-11-23T11:23:00.000Z'],
  ['13 3 * * *', '2026-11-23T10:30:46Z', '2026-11-24T03:13:00.000Z'],
  ['0,30 */6 * * *', '2026-11-23T23:59:59Z', '2026-11-24T00:00:00.000Z'],
] as const) {
  test(`${expected} is the next run of "${pattern}" after ${after_}`, () => {
    assert.equal(nextRunAt(parseSchedule(pattern), new Date(after_)).toISOString(), expected)
  })
}

test('an Error for a pattern that is not supported', () => {
  for (const pattern of ['60 * * * *', '* 24 * * *', '*/0 * * * *', '1-5 * * * *', '* * 1 * *', '* *', ''])
    assert.throws(() => parseSchedule(pattern), /The schedule /)
})

test('a second and a third attempt of a task that throws, then none before its next time; the others run meanwhile', async () => {
  let failures = 0
  let successes = 0
  run([
    scheduledTask('fails', '* * * * *', async () => {
      failures++
      throw new Error('a bug')
    }),
    // Throws before it returns a promise.
    scheduledTask('fails_at_once', '* * * * *', () => {
      throw new Error('a bug')
    }),
    scheduledTask('succeeds', '* * * * *', async () => void successes++),
  ])
  await makeDue(3)
  await waitUntil('three attempts', async () => (await rows()).every((row) => !row.is_due && !row.is_claimed && row.attempts === 0))
  assert.deepEqual([failures, successes], [3, 1])
})

test('one run of a due task, though two processes run the tasks', async () => {
  let count = 0
  const tasks = [scheduledTask('counts', '* * * * *', async () => void count++)]
  run(tasks)
  run(tasks)
  for (let expected = 1; expected <= 5; expected++) {
    await makeDue()
    await waitUntil('the task ran', async () => count >= expected && (await rows()).every((row) => !row.is_due))
    assert.equal(count, expected)
  }
})

test('taken over when its lease ends: a task of a process that died; not taken over: one that still runs', async () => {
  const gate = Promise.withResolvers<void>()
  const runs: string[] = []
  const work = (name: string, end?: Promise<void>) => () => {
    runs.push(name)
    return end ?? Promise.resolve()
  }
  const living = run([scheduledTask('long', '* * * * *', work('long', gate.promise))], { leaseMs: 200 })
  await makeDue()
  await waitUntil('it runs', () => runs.length === 1)
  await database.pool.query(`insert into scheduled_tasks values ('orphan', now(), 1, gen_random_uuid(), now() + interval '600 ms')`)
  run([scheduledTask('long', '* * * * *', work('long, taken over')), scheduledTask('orphan', '* * * * *', work('orphan'))])
  await waitUntil('the task of the dead process runs', () => runs.length > 1)
  assert.deepEqual(runs, ['long', 'orphan'])
  gate.resolve()
  await living.stop()
})

test('the process lives through 200 cuts of its connections while every task of the service runs, and the tasks go on', async () => {
  const own = await createTestDatabase()
  const port = await freePort()
  const service = startNode([MAIN], {
    ...PRODUCTION,
    ROLE: 'worker',
    MONITORING_PORT: String(port),
    LOG_LEVEL: 'fatal',
    DATABASE_URL: own.url,
  })
  try {
    await waitUntil('the service is ready', () => isReady(port), { limitMs: 240_000, pauseMs: 50 })
    const names = await waitUntil('the tasks are known', async () => {
      const { rows: known } = await own.pool.query<{ task: string }>('select task from scheduled_tasks')
      return known.length > 20 && known.map((row) => row.task)
    })
    const keepDue = `update scheduled_tasks set due_at = now(), claim_id = null, claimed_until = null`
    let cuts = 0
    while (cuts < 200) {
      await own.pool.query(keepDue)
      const { rowCount } = await own.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'countersign%' and state <> 'idle'`,
      )
      cuts += rowCount ?? 0
      assert.equal(service.child.exitCode, null, service.output())
    }
    await own.pool.query(keepDue)
    await waitUntil(
      'every task has run',
      async () => {
        const { rows: left } = await own.pool.query(
          'select 1 from scheduled_tasks where due_at <= now() or claim_id is not null or attempts > 0',
        )
        return left.length === 0
      },
      { limitMs: 240_000, pauseMs: 50 },
    )
    assert.ok(names.includes('seal_ledger_days'))
    assert.equal((await get(port, '/health/live')).status, 200)
    assert.equal(service.output().includes('A bug'), false)
  } finally {
    await stop(service)
    await own.drop()
  }
})
