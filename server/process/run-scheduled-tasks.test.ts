import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPool } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { PRODUCTION, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { nextRunAt, parseSchedule, runScheduledTasks, type ScheduledTask, scheduledTask } from './scheduled-tasks.ts'

let database: TestDatabase
const runners: { stop(): Promise<void> }[] = []

before(async () => {
  database = await createTestDatabase()
})
beforeEach(() => database.pool.query('truncate scheduled_tasks'))
afterEach(() => Promise.all(runners.splice(0).map((runner) => runner.stop())))
after(() => database.drop())

/** Runs these tasks, with pauses short enough for a test. */
function run(tasks: ScheduledTask[], { leaseMs = 60_000, pauseMs = 5 } = {}): { stop(): Promise<void> } {
  const backoff = { firstMs: pauseMs, maxMs: pauseMs, factor: 1 }
  const runner = runScheduledTasks({ pool: database.pool, tasks, pollMs: 5, leaseMs, backoff })
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

test('the sentence of the last failure and since when it fails, until the task works again', async () => {
  const stored = async () => {
    const { rows: all } = await database.pool.query<{ failed_since: Date | null; last_error: string | null }>(
      'select failed_since, last_error from scheduled_tasks',
    )
    return all[0]
  }
  let problem: string | undefined = `first\0 problem ${'x'.repeat(400)}\nat its stack`
  run([
    scheduledTask('fails', '* * * * *', async () => {
      if (problem !== undefined) throw new Error(problem)
    }),
  ])
  await makeDue()
  const first = await waitUntil('it failed', async () => {
    const row = await stored()
    return row?.last_error != null && row
  })
  assert.equal(first.last_error, `first problem ${'x'.repeat(286)}`)
  problem = 'second problem'
  await makeDue()
  const second = await waitUntil('it failed again', async () => {
    const row = await stored()
    return row?.last_error === 'second problem' && row
  })
  assert.deepEqual(second.failed_since, first.failed_since)
  problem = undefined
  await makeDue()
  await waitUntil('it works', async () => (await stored())?.failed_since === null)
  assert.equal((await stored())?.last_error, null)
})

test('a second attempt only after the pause, though its schedule names an earlier time, and counted as the second', async () => {
  let runs = 0
  const fails = scheduledTask('fails', '* * * * *', async () => {
    runs++
    throw new Error('a bug')
  })
  run([fails], { pauseMs: 3_600_000 })
  await makeDue()
  await waitUntil('it failed', async () => runs > 0 && (await rows()).every((row) => !row.is_claimed))
  const { rows: left } = await database.pool.query<{ seconds: number; attempts: number }>(
    'select extract(epoch from due_at - now())::integer as seconds, attempts from scheduled_tasks',
  )
  // The pause varies, so that several processes do not come at once.
  assert.ok((left[0]?.seconds ?? 0) > 1_200 && (left[0]?.seconds ?? 0) < 6_000, `${left[0]?.seconds} s`)
  assert.deepEqual([runs, left[0]?.attempts], [1, 1])
})

test('known as soon as the database takes them: tasks whose registration failed at first', async () => {
  let count = 0
  await database.pool.query('alter table scheduled_tasks rename to tasks_elsewhere')
  try {
    run([scheduledTask('late', '* * * * *', async () => void count++)])
    // As long as several polls.
    for (let look = 0; look < 10; look++) await database.pool.query('select pg_sleep(0.01)')
  } finally {
    await database.pool.query('alter table tasks_elsewhere rename to scheduled_tasks')
  }
  await makeDue()
  await waitUntil('it ran', () => count > 0)
})

test('the time of a claim is moved by its own process and by no other one', async () => {
  const gate = Promise.withResolvers<void>()
  let begun = 0
  const work = () => {
    begun++
    return gate.promise
  }
  const runner = run([scheduledTask('own', '* * * * *', work), scheduledTask('taken', '* * * * *', work)], { leaseMs: 400 })
  await makeDue(2)
  await waitUntil('both run', () => begun === 2)
  const until = async (task: string) =>
    (await database.pool.query<{ until: Date }>('select claimed_until as until from scheduled_tasks where task = $1', [task])).rows[0]
      ?.until
  await database.pool.query(
    `update scheduled_tasks set claim_id = gen_random_uuid(), claimed_until = now() + interval '1 hour' where task = 'taken'`,
  )
  const [own, taken] = [await until('own'), await until('taken')]
  await waitUntil('it is extended', async () => (await until('own'))?.getTime() !== own?.getTime())
  assert.deepEqual(await until('taken'), taken)
  gate.resolve()
  await runner.stop()
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

test('one run of each task that was due while no process ran, however often it was due', async () => {
  const runs: string[] = []
  await database.pool.query(`insert into scheduled_tasks (task, due_at) values ('hourly', now() - interval '5 hours'), ('daily', now())`)
  // Their next times are far away.
  const [hour, minute] = [(new Date().getUTCHours() + 12) % 24, (new Date().getUTCMinutes() + 30) % 60]
  run([
    scheduledTask('hourly', `${minute} * * * *`, async () => void runs.push('hourly')),
    scheduledTask('daily', `0 ${hour} * * *`, async () => void runs.push('daily')),
  ])
  await waitUntil('nothing is due', async () => runs.length > 1 && (await rows()).every((row) => !row.is_due && !row.is_claimed))
  assert.deepEqual(runs.sort(), ['daily', 'hourly'])
})

test('run again after its lease, and the process lives: a task whose end cannot be recorded', async () => {
  let count = 0
  await database.pool.query(`create function refuse_end() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger refuse_end before update on scheduled_tasks for each row when (new.claim_id is null) execute function refuse_end()`)
  try {
    run([scheduledTask('unrecorded', '* * * * *', async () => void count++)], { leaseMs: 200 })
    await waitUntil('the task is known', async () => (await rows()).length === 1)
    await database.pool.query(`update scheduled_tasks set due_at = now(), claim_id = gen_random_uuid(), claimed_until = now()`)
    await waitUntil('it ran again', () => count > 1)
  } finally {
    await database.pool.query('drop function refuse_end cascade')
  }
})

test('claimed by its new process still, when the one that it was taken over from ends', async () => {
  const gate = Promise.withResolvers<void>()
  let hasBegun = false
  const runner = run([
    scheduledTask('long', '* * * * *', () => {
      hasBegun = true
      return gate.promise
    }),
  ])
  await makeDue()
  await waitUntil('it runs', () => hasBegun)
  await database.pool.query(`update scheduled_tasks set claim_id = gen_random_uuid(), claimed_until = now() + interval '1 hour'`)
  gate.resolve()
  await runner.stop()
  assert.deepEqual(
    (await rows()).map((row) => row.is_claimed),
    [true],
  )
})

test('a stop resolves only after the tasks that run have ended', async () => {
  const gate = Promise.withResolvers<void>()
  let hasBegun = false
  const runner = run([
    scheduledTask('long', '* * * * *', () => {
      hasBegun = true
      return gate.promise
    }),
  ])
  await makeDue()
  await waitUntil('it runs', () => hasBegun)
  let hasStopped = false
  const stopping = runner.stop().then(() => {
    hasStopped = true
  })
  // As long as several polls.
  for (let look = 0; look < 10; look++) await database.pool.query('select pg_sleep(0.01)')
  assert.ok(!hasStopped)
  gate.resolve()
  await stopping
})

test('a result after the limit of its pool for a statement of a task', async () => {
  const limited = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'limited', statementLimitMs: 50 })
  let hasEnded = false
  run([
    scheduledTask('slow', '* * * * *', async () => {
      await limited.query('select pg_sleep(0.2)')
      hasEnded = true
    }),
  ])
  await makeDue()
  await waitUntil('it ran', async () => (await rows()).every((row) => !row.is_due && !row.is_claimed))
  await limited.end()
  assert.ok(hasEnded)
})

test('five tasks at once, and the next when one of them has ended', async () => {
  const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  let begun = 0
  const begin = (end: Promise<void>) => () => {
    begun++
    return end
  }
  run(gates.map(({ promise }, place) => scheduledTask(`task ${place}`, '* * * * *', begin(promise))))
  await makeDue(6)
  await waitUntil('five run', () => begun >= 5)
  for (let look = 0; look < 10; look++) await database.pool.query('select pg_sleep(0.01)')
  assert.equal(begun, 5)
  for (const gate of gates) gate.resolve()
  await waitUntil('all ran', () => begun === 6)
})

test('the process lives through 200 cuts of its connections while every task of the service runs, and the tasks go on', async () => {
  const own = await createTestDatabase()
  const port = await freePort()
  const service = await startService({
    port,
    environment: { ...PRODUCTION, ROLE: 'worker', MONITORING_PORT: String(port), LOG_LEVEL: 'fatal', DATABASE_URL: own.url },
  })
  try {
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
      assert.equal(service.hasEnded, false, service.output())
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
    assert.equal((await service.get('/health/live')).status, 200)
    assert.equal(service.output().includes('A bug'), false)
  } finally {
    await service.stop()
    await own.drop()
  }
})
