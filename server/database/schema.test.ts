import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { describeSchema } from '#server/testing/describe-schema.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('up to date: schema.sql shows the migrated database', async () => {
  const written = await readFile(new URL('./schema.sql', import.meta.url), 'utf8')
  assert.equal(await describeSchema(database.pool), written, 'run npm run schema')
})
