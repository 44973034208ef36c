import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ok } from '#lib/result.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { startTcpProxy, type TcpProxy } from '#server/testing/tcp-proxy.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { isDatabaseAway } from './database-away.ts'
import { createPool, type Pool, withStatementLimit } from './pool.ts'
import { openSnapshot, withTransaction } from './with-transaction.ts'

const LIMIT_MS = 150

let database: TestDatabase
let proxy: TcpProxy
let pool: Pool
before(async () => {
  database = await createTestDatabase()
  proxy = await startTcpProxy(database.url)
  pool = createPool({ databaseUrl: proxy.urlOf(database.url), connectionsMax: 1, applicationName: 'limited', statementLimitMs: LIMIT_MS })
})
after(async () => {
  await pool.end()
  await proxy.close()
  await database.drop()
})

/** Matches an error that both the answers and the pages take for an absent database. */
const awayWith = (code: string) => (error: Error & { code?: string; digest?: string }) =>
  isDatabaseAway(error) && error.code === code && error.digest === 'database_away'

test('ETIMEDOUT at the limit for a transaction whose server is silent, and the next statement has a new connection', async () => {
  const work = withTransaction<void, never>(pool, async (trx) => {
    await trx.query('create table half (n int)')
    proxy.freeze()
    await trx.query('insert into half values (1)')
    return ok(undefined)
  })
  const startedMs = performance.now()
  await assert.rejects(work, awayWith('ETIMEDOUT'))
  assert.ok(performance.now() - startedMs < 10 * LIMIT_MS)
  proxy.thaw()
  assert.equal((await pool.query("select to_regclass('half') as half")).rows[0]?.half, null)
})

test('cancelled at the server: a statement that waits for a lock longer than the limit, so that it takes no effect later', async () => {
  const holder = await database.pool.connect()
  try {
    await holder.query('begin; lock table applications')
    await assert.rejects(pool.query("update applications set name = 'too late'"), awayWith('ETIMEDOUT'))
    await waitUntil('nothing waits', async () => {
      const { rows } = await holder.query("select 1 from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'limited'")
      return rows.length === 0
    })
  } finally {
    // Also releases the lock, if an assertion failed.
    holder.release(true)
  }
})

test('a result after the limit of the pool, for work with a longer limit and for the pieces of a file', async () => {
  const slow = `select pg_sleep(${(2 * LIMIT_MS) / 1_000})`
  await withStatementLimit(10_000, () => pool.query(slow))
  const snapshot = await openSnapshot(pool)
  await snapshot.client.query(slow)
  await snapshot.close()
})

test('its own limit for a statement that waited until work with a longer one released the only connection', async () => {
  const client = await pool.connect()
  const waiting = pool.query('select pg_sleep(2)')
  withStatementLimit(10_000, () => client.release())
  await assert.rejects(waiting, awayWith('ETIMEDOUT'))
})

test('ETIMEDOUT for a snapshot whose server is silent, and its pool has no connection less', async () => {
  const own = createPool({ databaseUrl: proxy.urlOf(database.url), connectionsMax: 1, applicationName: 'own', statementLimitMs: LIMIT_MS })
  await own.query('select 1')
  proxy.freeze()
  await assert.rejects(openSnapshot(own), awayWith('ETIMEDOUT'))
  proxy.thaw()
  // Ending a pool waits for each connection that was taken and not returned.
  assert.equal(own.totalCount, 0)
  await own.end()
})

for (const [name, error, expected] of [
  ['a connection that the administrator ended', { code: '57P01' }, true],
  ['a server that starts', { code: '57P03' }, true],
  ['a connection failure', { code: '08006' }, true],
  ['a standby', { code: '25006' }, true],
  ['a server without a free connection', { code: '53300' }, true],
  ['a pool without a free connection', { message: 'timeout exceeded when trying to connect' }, true],
  ['a refused connection', { code: 'ECONNREFUSED' }, true],
  ['an error that wraps a lost connection', { cause: new Error('Connection terminated unexpectedly') }, true],
  ['a statement that was cancelled', { code: '57014' }, false],
  ['a violated constraint', { code: '23505' }, false],
  ['a bug', {}, false],
] as const) {
  test(`${expected ? 'away' : 'not away'}: ${name}`, () => assert.equal(isDatabaseAway(Object.assign(new Error('x'), error)), expected))
}

test('ETIMEDOUT after 15 s for a statement of a pool without a limit of its own', async (t) => {
  const plain = createPool({ databaseUrl: database.url, connectionsMax: 1, applicationName: 'plain' })
  const client = await plain.connect()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const errors: unknown[] = []
  const ended = client.query('select pg_sleep(60)').catch((reason: unknown) => {
    errors.push(reason)
  })
  t.mock.timers.tick(14_999)
  await new Promise(setImmediate)
  assert.equal(errors.length, 0)
  t.mock.timers.tick(1)
  await ended
  client.release(true)
  await plain.end()
  assert.deepEqual(
    errors.map((error) => error instanceof Error && awayWith('ETIMEDOUT')(error)),
    [true],
  )
})
