import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { errorSchema } from '#lib/schemas/api/responses.ts'
import { createPool, NO_STATEMENT_LIMIT_MS, withStatementLimit } from '#server/database/pool.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { startTcpProxy, type TcpProxy } from '#server/testing/tcp-proxy.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** Not less: on a busy machine a statement that is answered takes a while too. */
const STATEMENT_LIMIT_MS = 2_000

let proxy: TcpProxy
let harness: HttpHarness

before(async () => {
  proxy = await startTcpProxy(process.env['TEST_DATABASE_URL'] ?? assert.fail('TEST_DATABASE_URL is not set'))
  harness = await openHttpHarness({
    openPool: (url) =>
      createPool({
        databaseUrl: proxy.urlOf(url),
        connectionsMax: 6,
        applicationName: 'away',
        statementLimitMs: STATEMENT_LIMIT_MS,
      }),
  })
})
afterEach(async () => {
  proxy.thaw()
  await waitUntil('ready again', async () => (await get('/health/ready')).status === 200)
})
after(async () => {
  await harness.close()
  await proxy.close()
})

const get = (path: string) => fetch(harness.baseUrl + path, { headers: harness.headers })
const collect = (body: object) =>
  fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: harness.headers, body: JSON.stringify(body) })

/** A 503 of which a partner knows that the outcome is unknown, and what to do. */
async function assertUnknown(response: Response): Promise<void> {
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1'])
  const { status, path, message } = errorSchema.parse(await response.json())
  assert.deepEqual([status, path], [503, new URL(response.url).pathname])
  assert.match(message, /outcome of this request is unknown\. Repeat it with the same externalId/)
}

async function countOf(externalId: unknown): Promise<number> {
  const { rows } = await harness.database.pool.query('select 1 from transactions where external_id = $1', [externalId])
  return rows.length
}

test('503 with Retry-After for a collect whose connection breaks after the database received it; its repetition starts nothing twice', async () => {
  const body = aCollect()
  proxy.cutAfter(String(body['externalId']))
  await assertUnknown(await collect(body))
  assert.equal((await collect(body)).status, 200)
  assert.equal(await countOf(body['externalId']), 1)
})

test('503 with Retry-After for a list and a collect while the server is silent, soon after the limit of a statement', async () => {
  // Connections that were good are then silent.
  const { pool } = harness.runtime
  await waitUntil('enough open connections', async () => {
    await withStatementLimit(NO_STATEMENT_LIMIT_MS, () => Promise.all(Array.from({ length: 6 }, () => pool.query('select pg_sleep(0.05)'))))
    return pool.idleCount >= 4
  })
  proxy.freeze()
  const startedMs = performance.now()
  const body = aCollect()
  const answers = await Promise.all([get('/api/v1/transaction/getByApplicationProductBalances'), collect(body)])
  assert.ok(performance.now() - startedMs < 20 * STATEMENT_LIMIT_MS)
  for (const answer of answers) await assertUnknown(answer)
  proxy.thaw()
  assert.equal((await collect(body)).status, 200)
  assert.equal(await countOf(body['externalId']), 1)
})

test('503 with Retry-After for a collect at a server that has become a standby (25006)', async () => {
  const primary = await harness.database.pool.connect()
  const name = new URL(harness.database.url).pathname.slice(1)
  await primary.query(`alter database ${name} set default_transaction_read_only = on`)
  try {
    proxy.cut()
    await assertUnknown(await collect(aCollect()))
    assert.match(String(await harness.runtime.pool.query('update readiness set written_at = now()').catch(String)), /read-only transaction/)
  } finally {
    await primary.query(`alter database ${name} reset default_transaction_read_only`)
    primary.release()
    proxy.cut()
  }
})

test('503 for readiness, which waits for no lock, while no commit can end, though reads are answered; 200 afterwards', async () => {
  const holder = await harness.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from readiness for update')
    await waitUntil('a check meets the lock', async () => (await get('/health/ready')).status === 503)
    assert.equal((await get('/api/v1/transaction/getByApplicationProductBalances')).status, 200)
    const startedMs = performance.now()
    assert.equal((await get('/health/ready')).status, 503)
    assert.ok(performance.now() - startedMs < 20_000)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('503 for readiness within 2.5 s while no connection is free', async () => {
  const { pool } = harness.runtime
  const held = await Promise.all(Array.from({ length: 6 }, () => pool.connect()))
  try {
    const durationMs = await waitUntil('a check that waits for a connection', async () => {
      const startedMs = performance.now()
      return (await get('/health/ready')).status === 503 && performance.now() - startedMs
    })
    assert.ok(durationMs < 2_500)
  } finally {
    for (const client of held) client.release()
  }
})
