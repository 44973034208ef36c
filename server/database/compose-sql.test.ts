import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { runQuery, sql } from './compose-sql.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('119 from four parameters, two of which are in an inserted part', async () => {
  const inner = sql`${2} * 10 + ${3}`
  const rows = await runQuery<{ value: number }>(database.pool, sql`select ${1}::int * 100 + ${inner} - ${4}::int as value`)
  assert.deepEqual(rows, [{ value: 119 }])
})

test('nothing for an empty list, and the only part for a list of one', async () => {
  const one = sql.join([sql`${'x'}::text`], sql`, `)
  assert.deepEqual(await runQuery(database.pool, sql`select ${one} as value ${sql.join([], sql` and `)}`), [{ value: 'x' }])
})

test('the same text back for a literal with quotes and backslashes', async () => {
  const text = `a'b\\c"; drop table people --`
  assert.deepEqual(await runQuery(database.pool, sql`select ${sql.literal(text)} as value`), [{ value: text }])
})

test('a parameter for an object that imitates a composed part', async () => {
  const imitation = { texts: ["'injected'"], values: [] }
  assert.deepEqual(await runQuery(database.pool, sql`select ${imitation}::jsonb as value`), [{ value: imitation }])
})
