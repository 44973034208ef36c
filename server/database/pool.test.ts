import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
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

test('text for a day', async () => {
  const { rows } = await database.pool.query("select date '2026-11-20' as day")
  assert.deepEqual(rows, [{ day: '2026-11-20' }])
})
