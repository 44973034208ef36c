import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { functionFiles, migrate } from './migrate.ts'
import { createPool } from './pool.ts'

const run = promisify(execFile)
const MIGRATE_ONCE = fileURLToPath(new URL('../testing/migrate-once.ts', import.meta.url))

let database: TestDatabase
let emptyUrl: string
before(async () => {
  database = await createTestDatabase()
  const name = `empty_${database.url.split('_').at(-1)}`
  await database.pool.query(`create database ${name}`)
  emptyUrl = database.url.replace(/\/[^/]*$/, `/${name}`)
})
after(async () => {
  await database.pool.query(`drop database ${emptyUrl.split('/').at(-1)} with (force)`)
  await database.drop()
})

test('four processes that start at once on an empty database apply each migration and function exactly once, and none fails', async () => {
  const names = (await readdir(new URL('./migrations/', import.meta.url))).filter((name) => name.endsWith('.sql')).sort()
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () => run(process.execPath, [MIGRATE_ONCE], { env: { ...process.env, TEST_MIGRATE_URL: emptyUrl } })),
  )
  const applied = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as string[])
  assert.deepEqual(applied.toSorted(), [...names, ...(await functionFiles())].toSorted())
})

test('a migration that was edited after it had been applied stops the start and is named', async () => {
  const pool = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'edited' })
  try {
    await pool.query("update schema_migrations set digest = 'another' where name = '0002_transactions.sql'")
    await assert.rejects(
      migrate(pool),
      (error: Error) => /0002_transactions\.sql/.test(error.message) && /was edited/.test(String(error.cause)),
    )
  } finally {
    await pool.end()
  }
})

test('a database that is up to date is left alone', async () => {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'again' })
  try {
    await migrate(pool)
    assert.deepEqual(await migrate(pool), [])
  } finally {
    await pool.end()
  }
})

test('a function that another release had applied last is applied again, and nothing else', async () => {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'function' })
  try {
    await migrate(pool)
    await pool.query("update schema_functions set digest = 'another' where file = 'transactions/sql/same-number.sql'")
    assert.deepEqual(await migrate(pool), ['transactions/sql/same-number.sql'])
  } finally {
    await pool.end()
  }
})
