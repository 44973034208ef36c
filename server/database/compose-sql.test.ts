import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { runQuery, sql } from './compose-sql.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('parameters keep their order when parts are inserted into parts', async () => {
  const inner = sql`${2} * 10 + ${3}`
  const rows = await runQuery<{ value: number }>(database.pool, sql`select ${1}::int * 100 + ${inner} - ${4}::int as value`)
  assert.deepEqual(rows, [{ value: 119 }])
})

test('an empty list joins to nothing, and a list of one to its only part', async () => {
  const one = sql.join([sql`${'x'}::text`], sql`, `)
  assert.deepEqual(await runQuery(database.pool, sql`select ${one} as value ${sql.join([], sql` and `)}`), [{ value: 'x' }])
})

test('a literal arrives as it was written, whatever quotes and backslashes it contains', async () => {
  const text = `a'b\\c"; drop table people --`
  assert.deepEqual(await runQuery(database.pool, sql`select ${sql.literal(text)} as value`), [{ value: text }])
})

test('an object that imitates a composed part stays a parameter', async () => {
  const imitation = { texts: ["'injected'"], values: [] }
  assert.deepEqual(await runQuery(database.pool, sql`select ${imitation}::jsonb as value`), [{ value: imitation }])
})
