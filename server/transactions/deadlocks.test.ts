import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TrxClient } from '#server/database/pool.ts'
import { storeCalls } from '#server/partner-auth/recent-calls-store.ts'
import { aCallRow } from '#server/partner-auth/testing.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake, takeIn } from './intake.ts'
import { createSettler, SYSTEM_ACTOR } from './transition.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Two applications of one partition; `first` is locked first by every transaction that locks both. The row of `second` was written first. */
async function makeTwo(): Promise<{ first: string; second: string }> {
  const second = await makeApplication(database.pool)
  for (;;) {
    const first = await makeApplication(database.pool)
    if (first < second && (first.charCodeAt(35) - second.charCodeAt(35)) % 2 === 0) return { first, second }
  }
}

async function lock(client: TrxClient, applicationId: string): Promise<void> {
  await client.query('select 1 from application_counters where application_id = $1 for no key update', [applicationId])
}

async function untilOneWaits(): Promise<void> {
  await waitUntil('the other one waits for a lock', async () => {
    const { rowCount } = await database.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rowCount !== 0
  })
}

/**
 * Holds `held`, and takes `wanted` as soon as `work` waits. PostgreSQL cancels the one that has waited longer than its deadlock_timeout,
 * which is not this one.
 */
async function meanwhile<Value>(held: string, wanted: string, work: () => Promise<Value>): Promise<Value> {
  const client = await database.pool.connect()
  try {
    await client.query("begin; set local deadlock_timeout = '60s'")
    await lock(client, held)
    const working = work()
    await Promise.race([untilOneWaits(), working])
    await lock(client, wanted)
    await client.query('commit')
    return await working
  } finally {
    await client.query('rollback')
    client.release()
  }
}

async function deadlockCount(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select deadlocks::integer as count from pg_stat_database where datname = current_database()`,
  )
  return rows[0]?.count ?? 0
}

test('created, each item once, for a batch that PostgreSQL cancelled as the victim of a deadlock', async () => {
  const { first, second } = await makeTwo()
  const intake = createIntake({ pool: database.pool })
  const items = [first, second].map((applicationId) => anIntakeItem(applicationId, { type: 'COLLECT' }))
  const outcomes = await meanwhile(second, first, () => Promise.all(items.map((item) => intake.submit(item))))
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['created', 'created'],
  )
  const { rows } = await database.pool.query(
    'select application_id, transaction_count::integer as count from application_counters where application_id = any ($1) order by application_id',
    [[first, second]],
  )
  assert.deepEqual(rows, [
    { application_id: first, count: 1 },
    { application_id: second, count: 1 },
  ])
})

test('moved, each once, for a settlement that PostgreSQL cancelled as the victim of a deadlock', async () => {
  const { first, second } = await makeTwo()
  const items = [first, second].map((applicationId) => anIntakeItem(applicationId, { type: 'COLLECT' }))
  await takeIn(database.pool, items)
  const settler = createSettler({ pool: database.pool })
  const outcomes = await meanwhile(second, first, () =>
    Promise.all(items.map((item) => settler.settle({ ...item, event: 'succeeded', actor: SYSTEM_ACTOR }))),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome?.isMoved),
    [true, true],
  )
  await waitUntil('PostgreSQL has counted the deadlocks', async () => (await deadlockCount()) >= 2)
})

test('no deadlock between the calls of two applications that are recorded and an intake that locks both', async () => {
  const { first, second } = await makeTwo()
  await meanwhile(first, second, () => storeCalls(database.pool, [aCallRow(second), aCallRow(first)]))
})
