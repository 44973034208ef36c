import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { awaitDatabase } from './await-database.ts'
import { createPool, type Pool, type Queryable } from './pool.ts'

const NAME = 'waiting'
let database: TestDatabase
let pool: Pool
before(async () => {
  database = await createTestDatabase()
  pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: NAME })
})
after(async () => {
  await pool.end()
  await database.drop()
})

/** New connections accept no writes, as those of a standby. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const client = await database.pool.connect()
  const name = new URL(database.url).pathname.slice(1)
  await client.query(
    `alter database ${name} ${isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
  )
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [NAME])
  client.release()
}

test('waits as long as the database accepts no writes, and says why once', async () => {
  let statements = 0
  const counted: Queryable = Object.assign(Object.create(pool), {
    query: (...args: Parameters<Pool['query']>) => {
      statements++
      return pool.query(...args)
    },
  })
  const reasons: string[] = []
  let isUsable = false
  await setReadOnly(true)
  const waiting = awaitDatabase(counted, { limitMs: 60_000, onWait: (reason) => reasons.push(reason) }).then(() => {
    isUsable = true
  })
  // Two in each attempt.
  await waitUntil('the third attempt', () => statements >= 6)
  assert.ok(!isUsable)
  await setReadOnly(false)
  await waiting
  assert.equal(reasons.length, 1)
  assert.match(reasons[0] ?? '', /accepts no writes/)
})

test('rejected with the reason after the limit', async () => {
  await setReadOnly(true)
  await assert.rejects(awaitDatabase(pool, { limitMs: 100, onWait: () => undefined }), /accepts no writes: it is a standby/)
  await setReadOnly(false)
})

test('rejected at once: the name of a host that does not exist', async () => {
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere'), { code: 'ENOTFOUND' })
  const nowhere = { query: () => Promise.reject(error) } as unknown as Queryable
  await assert.rejects(awaitDatabase(nowhere, { limitMs: 60_000, onWait: () => assert.fail('it waits') }), error)
})
