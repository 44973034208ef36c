import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { applyMigrationFile, applyPatiently, functionFiles, type MigrateOptions, migrate } from './migrate.ts'
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

/** Runs `work` on the migrated database and restores its release afterwards. */
async function withRelease(work: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = createPool({ databaseUrl: emptyUrl, connectionsMax: 3, applicationName: 'release' })
  try {
    await migrate(pool)
    await work(pool)
  } finally {
    await pool.query('update schema_release set number = 1, compatible_from = 1').catch(() => undefined)
    await pool.end()
  }
}

test('nothing applied by an older release beside a newer one: the functions of the newer one stay', () =>
  withRelease(async (pool) => {
    const file = 'transactions/sql/assert-same-count.sql'
    await pool.query('update schema_functions set digest = $1 where file = $2', ['of the newer release', file])
    await pool.query('update schema_release set number = 3, compatible_from = 1')
    assert.deepEqual(await migrate(pool, { release: { number: 2, compatibleFrom: 1 } }), [])
    assert.deepEqual(await migrate(pool, { release: { number: 3, compatibleFrom: 1 } }), [file])
  }))

test('rejected with both releases: an older one that the newer one does not name compatible', () =>
  withRelease(async (pool) => {
    await pool.query('update schema_release set number = 3, compatible_from = 2')
    await assert.rejects(migrate(pool, { release: { number: 1, compatibleFrom: 1 } }), (error: Error) =>
      /belongs to release 3 .* this process is release 1: start release 2 or newer/.test(String(error.cause)),
    )
  }))

test('rejected with its name: a database with a migration that this release does not have', () =>
  withRelease(async (pool) => {
    await pool.query("insert into schema_migrations (name, digest) values ('9999_later.sql', '')")
    await assert.rejects(migrate(pool), (error: Error) => /does not know \(9999_later\.sql\)/.test(String(error.cause)))
    await pool.query("delete from schema_migrations where name = '9999_later.sql'")
  }))

test('built while others write, and built again where a build was broken off: the index of a migration that begins with "-- concurrently"', () =>
  withRelease(async (pool) => {
    const sql = '-- concurrently\ncreate unique index concurrently readings_value on readings (value);\n'
    await pool.query('create table readings (value int); insert into readings values (1), (1)')
    // A failed build leaves an invalid index behind, as a process that is killed does.
    await assert.rejects(applyMigrationFile(pool, '9998_index.sql', sql), /could not create unique index/)
    await pool.query('delete from readings')
    const writer = await pool.connect()
    await writer.query('begin; insert into readings values (2)')
    const building = applyMigrationFile(pool, '9998_index.sql', sql)
    // The build waits for the open transaction; with a lock on the table this insert would wait for the build.
    await writer.query("set local lock_timeout = '2s'; insert into readings values (3)")
    await writer.query('commit')
    writer.release()
    assert.equal(await building, true)
    assert.equal(await applyMigrationFile(pool, '9998_index.sql', sql), false)
    const { rows } = await pool.query("select indisvalid as is_valid from pg_index where indexrelid = 'readings_value'::regclass")
    assert.deepEqual(rows, [{ is_valid: true }])
    await pool.query("drop table readings; delete from schema_migrations where name = '9998_index.sql'")
    await assert.rejects(applyMigrationFile(pool, 'x', '-- concurrently\nselect 1;'), /must be one statement/)
  }))
