import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { applyPatiently, functionFiles, type MigrateOptions, migrate } from './migrate.ts'
import { createPool, type Pool } from './pool.ts'

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

test('applied once: every migration and function, by four processes that start at once on an empty database', async () => {
  const names = (await readdir(new URL('./migrations/', import.meta.url))).filter((name) => name.endsWith('.sql')).sort()
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () => run(process.execPath, [MIGRATE_ONCE], { env: { ...process.env, TEST_MIGRATE_URL: emptyUrl } })),
  )
  const applied = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as string[])
  assert.deepEqual(applied.toSorted(), [...names, ...(await functionFiles())].toSorted())
})

test("rejected with the file's name: a migration that was edited after it had been applied", async () => {
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

test('nothing applied to a database that is up to date', async () => {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'again' })
  try {
    await migrate(pool)
    assert.deepEqual(await migrate(pool), [])
  } finally {
    await pool.end()
  }
})

/** A transaction that reads the table, as an export does, and another one that has something to write meanwhile. */
async function whileRead<Value>(work: () => Promise<Value>): Promise<{ value: Value; longestWriteMs: number }> {
  const reader = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'a long export' })
  const writer = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'intake' })
  const trx = await reader.connect()
  let isDone = false
  let longestWriteMs = 0
  async function keepWriting(): Promise<void> {
    while (!isDone) {
      const startedMs = performance.now()
      await writer.query('update sign_in_throttles set failures = 0')
      longestWriteMs = Math.max(longestWriteMs, performance.now() - startedMs)
    }
  }
  try {
    await trx.query('begin')
    await trx.query('select * from sign_in_throttles')
    const writing = keepWriting()
    const value = await work().finally(() => {
      isDone = true
    })
    await writing
    return { value, longestWriteMs }
  } finally {
    await trx.query('rollback')
    trx.release()
    await reader.end()
    await writer.end()
  }
}

/** Acts as a migration that changes the table and locks it exclusively. */
function changeTable(pool: Pool, options: MigrateOptions): Promise<boolean> {
  return applyPatiently(pool, 'Migration zz_test.sql', options, async (trx) => {
    await trx.query('alter table sign_in_throttles alter column failures set default 0')
    return true
  })
}

test("rejected with the holder's name: a migration of a table that stays in use; writes meanwhile wait less than 2 s", async () => {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'waits' })
  try {
    await migrate(pool)
    const waits: string[] = []
    const { value, longestWriteMs } = await whileRead(() =>
      changeTable(pool, { onWait: (message) => waits.push(message), lockPauseMs: 100, lockLimitMs: 2_500 }).catch((error: Error) => error),
    )
    assert.ok(value instanceof Error)
    assert.match(
      value.message,
      /^Migration zz_test\.sql could not be applied: a table that it changes is in use\. .*"a long export".* End it, or start again later\.$/,
    )
    assert.ok(waits.length >= 1 && waits.every((message) => message.includes('waits for a table that is in use')))
    assert.ok(longestWriteMs < 2_000, `a write waited for ${Math.round(longestWriteMs)} ms`)
  } finally {
    await pool.end()
  }
})

test('applied after the wait: a migration of a table that was in use', async () => {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'waits' })
  try {
    await migrate(pool)
    const waited = Promise.withResolvers<void>()
    const { value: changing } = await whileRead(async () => {
      const pending = changeTable(pool, { onWait: () => waited.resolve(), lockPauseMs: 100 })
      await waited.promise
      return { pending }
    })
    assert.equal(await changing.pending, true)
  } finally {
    await pool.end()
  }
})

test('applied again: only the function that another release had applied last', async () => {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 1, applicationName: 'function' })
  try {
    await migrate(pool)
    await pool.query("update schema_functions set digest = 'another' where file = 'transactions/sql/assert-same-count.sql'")
    assert.deepEqual(await migrate(pool), ['transactions/sql/assert-same-count.sql'])
  } finally {
    await pool.end()
  }
})
