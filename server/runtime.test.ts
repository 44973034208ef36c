import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { loadConfig } from './config.ts'
import { createLogger } from './logger.ts'
import { createRuntime, type Runtime } from './runtime.ts'

let database: TestDatabase
let runtime: Runtime

before(async () => {
  database = await createTestDatabase()
  const config = loadConfig({ DATABASE_REPLICA_URL: database.url, PREPARED_STATEMENTS: '0', CRASHES: '{"service":2,"web 1":1}' })
  runtime = await createRuntime({ config, databaseUrl: database.url, logger: createLogger('silent'), operatorDefaults: [] })
})
after(async () => {
  await runtime.close()
  await database.drop()
})

test('no prepared statement on primary and replica with PREPARED_STATEMENTS=0', async () => {
  assert.notEqual(runtime.pool, runtime.reportPool)
  for (const pool of [runtime.pool, runtime.reportPool]) {
    const client = await pool.connect()
    try {
      await client.query({ name: 'add', text: 'select $1::int + 1', values: [1] })
      assert.deepEqual((await client.query('select name from pg_prepared_statements')).rows, [])
    } finally {
      client.release()
    }
  }
})

test('/metrics contains the crashes of CRASHES, by process', async () => {
  const { body } = await runtime.metrics.write()
  assert.match(body, /^countersign_crashes_total\{process="service"\} 2$/m)
  assert.match(body, /^countersign_crashes_total\{process="web 1"\} 1$/m)
})
