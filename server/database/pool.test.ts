import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { isDatabaseAway } from './database-away.ts'
import { createPool } from './pool.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

for (const preparesStatements of [true, false]) {
  test(`named statements are ${preparesStatements ? '' : 'not '}prepared where PREPARED_STATEMENTS is ${preparesStatements ? 'on' : 'off'}`, async () => {
    const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'pool test', preparesStatements })
    try {
      const { rows } = await pool.query({ name: 'add', text: 'select $1::int8 + 1 as sum', values: [41] })
      assert.deepEqual(rows, [{ sum: 42n }])
      const { rows: prepared } = await pool.query('select name from pg_prepared_statements')
      assert.deepEqual(prepared, preparesStatements ? [{ name: 'add' }] : [])
    } finally {
      await pool.end()
    }
  })
}

test('bigint for money, counters and their sums', async () => {
  const { rows } = await database.pool.query(
    'select 9007199254740993::int8 as amount, sum(n) as total from (values (9007199254740993::int8), (1)) as v (n)',
  )
  assert.deepEqual(rows, [{ amount: 9007199254740993n, total: 9007199254740994n }])
})

test('bigint for each element of an array of bigint, and null for one that is missing', async () => {
  const { rows } = await database.pool.query("select '{-70000,NULL,9007199254740993}'::int8[] as balances, '{}'::int8[] as none")
  assert.deepEqual(rows, [{ balances: [-70_000n, null, 9007199254740993n], none: [] }])
})

test('text for a day', async () => {
  const { rows } = await database.pool.query("select date '2026-11-20' as day")
  assert.deepEqual(rows, [{ day: '2026-11-20' }])
})

test('a connection that breaks between two statements of a transaction: the next one rejects, and the process goes on', async () => {
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'pool test' })
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise<void>((resolve) => void client.on('end', resolve))
    await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await ended
    await assert.rejects(client.query('select 1'), isDatabaseAway)
  } finally {
    client.release(true)
    await pool.end()
  }
})

test('another connection after five minutes, so that its plans are for the tables as they are', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'pool test' })
  try {
    const pidAfter = async (ms: number) => {
      const client = await pool.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      context.mock.timers.tick(ms)
      client.release()
      return rows[0]?.pid
    }
    const first = await pidAfter(299_999)
    assert.equal(await pidAfter(1), first)
    assert.notEqual(await pidAfter(0), first)
  } finally {
    await pool.end()
  }
})
