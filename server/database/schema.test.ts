import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('every table and column that the query builder knows exists in the migrated database, and may be null where it says so', async () => {
  const source = await readFile(new URL('./schema.ts', import.meta.url), 'utf8')
  const { rows } = await database.pool.query<{ table_name: string; column_name: string; is_nullable: 'YES' | 'NO' }>(
    "select table_name, column_name, is_nullable from information_schema.columns where table_schema = 'public'",
  )
  const actual = new Map(rows.map((row) => [`${row.table_name}.${row.column_name}`, row.is_nullable === 'YES']))
  let compared = 0
  for (const [, table = '', body = ''] of source.matchAll(/^ {2}(\w+): \{\n([\s\S]*?)^ {2}\}/gm)) {
    for (const [, column = '', type = ''] of body.matchAll(/^ {4}(\w+): (.+)$/gm)) {
      assert.equal(actual.get(`${table}.${column}`), type.includes('| null'), `${table}.${column}`)
      compared++
    }
  }
  assert.ok(compared > 60)
})
