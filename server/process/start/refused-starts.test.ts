import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { get, launchService, PRODUCTION, type Service } from '#server/testing/service/start-service.ts'
import { startTcpProxy, type TcpProxy } from '#server/testing/tcp-proxy.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** Starts the service with what must be refused before it opens a port or writes a file. */
function start(environment: Record<string, string>): Promise<Service> {
  const dataDirectory = path.join(tmpdir(), 'countersign-never-created')
  return launchService({
    environment: { NODE_ENV: 'development', DATA_DIR: dataDirectory, LOG_LEVEL: 'fatal', DATABASE_WAIT_MS: '0', ...environment },
  })
}

test('exit code 1 and one sentence that names the variable: a bad value', async () => {
  const service = await start({ WEB_CONCURRENCY: 'many' })
  assert.equal(await service.ended, 1)
  assert.equal(service.output(), 'WEB_CONCURRENCY must be a whole number.\n')
})

test('exit code 1 and the name of the secret: production without its secrets', async () => {
  const service = await start({ NODE_ENV: 'production', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
  assert.equal(await service.ended, 1)
  assert.match(service.output(), /^TOKEN_SECRET is missing/)
})

/** An address at which every connection is counted and nothing is ever answered. */
async function countingDatabase(): Promise<{ url: string; connections(): number; close(): void }> {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.on('error', () => undefined)
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: at } = server.address() as AddressInfo
  return { url: `postgres://app:pw@127.0.0.1:${at}/countersign`, connections: () => count, close: () => server.close() }
}

test('exit code 1 before any connection: a database whose mode is not set', async () => {
  const database = await countingDatabase()
  try {
    const silent: Record<string, string>[] = [{}, { NODE_ENV: 'test' }, { SANDBOX: '0' }]
    for (const environment of silent) {
      const service = await start({ DATABASE_URL: database.url, ...environment })
      assert.equal(await service.ended, 1)
      assert.match(service.output(), /^(DATABASE_URL|SANDBOX=0) needs NODE_ENV=production[^\n]*\n$/)
    }
    assert.equal(database.connections(), 0)
  } finally {
    database.close()
  }
})

for (const host of ['127.0.0.1:9', 'localhost:9', 'database.invalid:5432']) {
  test(`exit code 1 and one sentence without the password: a database at ${host} that cannot be reached`, async () => {
    const service = await start({ ...PRODUCTION, DATABASE_URL: `postgres://app:a-pass-word@${host}/countersign` })
    assert.equal(await service.ended, 1)
    assert.match(
      service.output(),
      /^The database of DATABASE_URL cannot be used \([^)\n]+\); check the address and that PostgreSQL runs there\.\n$/,
    )
    assert.ok(!service.output().includes('a-pass-word'))
  })
}

test('exit code 1 and the version, and nothing is written: a PostgreSQL that is too old', async () => {
  const database = await createTestDatabase()
  // Tells the version of another server: 18.x is told as 17.10.
  const proxy = await startTcpProxy(database.url, {
    rewrite: (bytes) => Buffer.from(bytes.toString('latin1').replace(/18\d{4}/, '170010'), 'latin1'),
  })
  try {
    const service = await start({ ...PRODUCTION, DATABASE_URL: proxy.urlOf(database.url) })
    assert.equal(await service.ended, 1)
    assert.equal(service.output(), 'DATABASE_URL leads to PostgreSQL 17.10: Countersign needs PostgreSQL 18 or newer.\n')
    assert.deepEqual((await database.pool.query('select 1 from installation')).rows, [])
  } finally {
    await proxy.close()
    await database.drop()
  }
})

test('ready after the database came: a start waits while it is away, and while it accepts no writes', async () => {
  const database = await createTestDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const [at, port] = [await freePort(), await freePort()]
  const primary = await database.pool.connect()
  await primary.query(`alter database ${name} set default_transaction_read_only = on`)
  const url = new URL(database.url)
  url.port = String(at)
  const service = await start({
    ...PRODUCTION,
    ROLE: 'worker',
    MONITORING_PORT: String(port),
    LOG_LEVEL: 'warn',
    DATABASE_WAIT_MS: '60000',
    DATABASE_URL: url.href,
  })
  let proxy: TcpProxy | undefined
  try {
    await waitUntil('it waits', () => service.output().includes('The database cannot be used yet; waiting up to 60 s'))
    proxy = await startTcpProxy(database.url, { port: at })
    await waitUntil('it has asked', () => proxy?.connections())
    assert.equal(service.hasEnded, false)
    await primary.query(`alter database ${name} reset default_transaction_read_only`)
    proxy.cut()
    await waitUntil('ready', async () => (await get(`http://127.0.0.1:${port}/health/ready`)).status === 200)
  } finally {
    await service.stop()
    await proxy?.close()
    primary.release()
    await database.drop()
  }
})

test('exit code 1 at once, however long a start may wait: an unknown database', async () => {
  const service = await start({
    ...PRODUCTION,
    DATABASE_WAIT_MS: '60000',
    DATABASE_URL: (process.env['TEST_DATABASE_URL'] ?? '').replace(/\w+$/, 'no_such_database'),
  })
  assert.equal(await service.ended, 1)
  assert.match(service.output(), /^The database of DATABASE_URL cannot be used \(database "no_such_database" does not exist\)/)
})

for (const [mode, environment, problem] of [
  ['production', { SANDBOX: '1' }, /^This database belongs to production .* start it with NODE_ENV=production/],
  ['sandbox', PRODUCTION, /^This database belongs to a sandbox .* use a separate database for production/],
] as const) {
  test(`exit code 1, and nothing is written: a ${mode} database for a process of the other mode`, async () => {
    const database = await createTestDatabase({ mode })
    try {
      const service = await start({ ...environment, DATABASE_URL: database.url })
      assert.equal(await service.ended, 1)
      assert.match(service.output(), problem)
      assert.deepEqual((await database.pool.query('select 1 from applications')).rows, [])
      assert.deepEqual((await database.pool.query('select mode from installation')).rows, [{ mode }])
    } finally {
      await database.drop()
    }
  })
}

test('exit code 1 and what to do: a process with another key', async () => {
  const database = await createTestDatabase({ mode: 'production' })
  try {
    await createTestPartner(database.pool)
    const service = await start({ ...PRODUCTION, SECRETS_KEY: randomBytes(32).toString('base64'), DATABASE_URL: database.url })
    assert.equal(await service.ended, 1)
    assert.match(
      service.output(),
      /^SECRETS_KEY is not the key that the secrets in this database are encrypted with \([0-9a-f]{12}\): set that key/,
    )
  } finally {
    await database.drop()
  }
})
