import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { createRecentRequests } from './caller-records.ts'
import { listRequests } from './caller-records-store.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('the newest calls with their cause, a hundred at most per application, and open pages learn of them', async () => {
  const { pool } = database
  const [applicationId, other] = [await makeApplication(pool), await makeApplication(pool)]
  const changeNumber = async () =>
    (await pool.query('select change_number from application_counters where application_id = $1', [applicationId])).rows[0].change_number
  const before = await changeNumber()
  const requests = createRecentRequests(pool)
  const call = { method: 'GET', path: '/api/v1/transaction/collect', status: 200, address: '127.0.0.1' }
  for (let round = 0; round < 3; round++) {
    for (let place = 0; place < 80; place++)
      requests.note({ ...call, applicationId, status: 200 + round, at: new Date(Date.UTC(2026, 0, 1, 0, round, place)) })
    await requests.close()
  }
  requests.note({ ...call, applicationId, path: `/${'x'.repeat(5_000)}`, status: 401, cause: 'key_unknown' })
  requests.note({ ...call, applicationId: other })
  await requests.close()
  const listed = await listRequests(pool, applicationId)
  assert.deepEqual([listed[0]?.status, listed[0]?.cause, listed[0]?.path.length, listed[1]?.status], [401, 'key_unknown', 200, 202])
  assert.equal((await listRequests(pool, other)).length, 1)
  assert.deepEqual(await listRequests(pool, randomUUID()), [])
  const { rows } = await pool.query('select count(*)::int as rows from api_requests where application_id = $1', [applicationId])
  assert.equal(rows[0].rows, 100)
  assert.ok((await changeNumber()) > before)
})
