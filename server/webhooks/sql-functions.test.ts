import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordOf } from '#server/database/json-row.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { CLAIMED_WEBHOOK } from './delivery-store.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('start_webhook_attempts returns the columns that CLAIMED_WEBHOOK defines', async () => {
  const { rows } = await database.pool.query<{ result: string }>(
    `select pg_get_function_result(oid) as result from pg_proc where proname = 'start_webhook_attempts'`,
  )
  assert.deepEqual(rows, [{ result: `TABLE(${recordOf(CLAIMED_WEBHOOK)})` }])
})
