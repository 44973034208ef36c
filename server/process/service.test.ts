import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/database/embedded.ts'
import { createPool } from '#server/database/pool.ts'
import type { SandboxFile } from '#server/sandbox/seed-sandbox.ts'
import { createTestDatabase, TEST_SECRETS_KEY } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'

/** What production demands; on this machine its address may be http. */
const PRODUCTION = {
  NODE_ENV: 'production',
  TOKEN_SECRET: 't'.repeat(32),
  SESSION_SECRET: 's'.repeat(32),
  SECRETS_KEY: TEST_SECRETS_KEY,
  PUBLIC_URL: 'http://127.0.0.1:3000',
}
const MAIN = new URL('../main.ts', import.meta.url).pathname

let folder: string
let port: number
const started: ChildProcess[] = []

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-service-'))
  await chmod(folder, 0o755)
  port = await freePort()
})
// A test that failed half-way must not leave its service to the next one.
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})
after(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

type Started = { child: ChildProcess; output(): string; ended: Promise<number | null> }

function start(environment: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'development',
      PORT: String(port),
      DATA_DIR: path.join(folder, 'data'),
      LOG_LEVEL: 'fatal',
      SIMULATOR_DELAY_MS: '50',
      ...environment,
    },
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) }
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const endsAtMs = Date.now() + 60_000; Date.now() < endsAtMs; await delay(25)) if (await condition()) return
  throw new Error(`Waited in vain: ${what}`)
}

const get = (address: string) =>
  fetch(`http://127.0.0.1:${port}${address}`).then(
    (response) => response.status,
    () => 0,
  )
const ready = () => until('the service is ready', async () => (await get('/health/ready')) === 200)

async function stop(service: Started): Promise<number | null> {
  service.child.kill('SIGTERM')
  return service.ended
}

async function sandbox(): Promise<SandboxFile> {
  return JSON.parse(await readFile(path.join(folder, 'data/sandbox.json'), 'utf8'))
}

type Credentials = { apiKey: string; apiId: string; username: string; password: string }
type Call = (operation: string, overrides?: Record<string, string>) => Promise<{ status: number; transactionId: string }>

/** Signs a partner's program in; without one named, that of the sandbox's first application. */
async function partner(named?: Credentials): Promise<Call> {
  const credentials = named ?? (await sandbox()).applications[0]
  assert.ok(credentials)
  const signIn = () =>
    fetch(`http://127.0.0.1:${port}/public/access_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: credentials.username, password: credentials.password }),
    })
  const { access_token: accessToken } = (await (await signIn()).json()) as { access_token: string }
  return async (operation, overrides = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/transaction/${operation}`, {
      method: 'POST',
      headers: {
        apiKey: credentials.apiKey,
        apiId: credentials.apiId,
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
      },
      body: operation.includes('?')
        ? undefined
        : JSON.stringify({
            transferMethod: 'MOMOCM',
            customerName: 'Clarisse Mbarga',
            externalId: crypto.randomUUID(),
            phoneNumber: '237677209341',
            amount: 100,
            webhookUrl: 'http://127.0.0.1:9/nobody',
            countryName: 'CAMEROON',
            ...overrides,
          }),
    })
    const body = (await response.json()) as { transactionId?: string; id?: string }
    return { status: response.status, transactionId: body.transactionId ?? body.id ?? '' }
  }
}

/** Running processes with this in their command line, children of `parent` where one is named. */
async function pidsOf(fragment: string, parent?: number): Promise<number[]> {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        if (parent !== undefined && Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) return false
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(fragment) && !/^State:\s+Z/m.test(status)
      } catch {
        return false
      }
    })
}

test('a bad value stops the start with one sentence that names it', async () => {
  const service = start({ WEB_CONCURRENCY: 'many' })
  assert.equal(await service.ended, 1)
  assert.equal(service.output(), 'WEB_CONCURRENCY must be a whole number.\n')
})

test('production without its secrets does not start', async () => {
  const service = start({ NODE_ENV: 'production', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
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

test('a database whose mode nobody says is refused before any connection', async () => {
  const database = await countingDatabase()
  try {
    const silent: Record<string, string>[] = [{}, { NODE_ENV: 'test' }, { SANDBOX: '0' }]
    for (const environment of silent) {
      const service = start({ DATABASE_URL: database.url, ...environment })
      assert.equal(await service.ended, 1)
      assert.match(service.output(), /^(DATABASE_URL|SANDBOX=0) needs NODE_ENV=production[^\n]*\n$/)
    }
    assert.equal(database.connections(), 0)
  } finally {
    database.close()
  }
})

for (const host of ['127.0.0.1:9', 'localhost:9', 'database.invalid:5432']) {
  test(`a database at ${host} that cannot be reached ends the start with one sentence without its password, and exit code 1`, async () => {
    const service = start({ ...PRODUCTION, DATABASE_URL: `postgres://app:a-pass-word@${host}/countersign` })
    assert.equal(await service.ended, 1)
    assert.match(
      service.output(),
      /^The database of DATABASE_URL cannot be used \([^)\n]+\); check the address and that PostgreSQL runs there\.\n$/,
    )
    assert.ok(!service.output().includes('a-pass-word'))
  })
}

test('a production database refuses a sandbox process and a sandbox database refuses production: nothing is written', async () => {
  for (const [mode, environment, problem] of [
    ['production', { SANDBOX: '1' }, /^This database belongs to production .* start it with NODE_ENV=production/],
    ['sandbox', PRODUCTION, /^This database belongs to a sandbox .* give production a database of its own/],
  ] as const) {
    const database = await createTestDatabase({ mode })
    try {
      const service = start({ ...environment, DATABASE_URL: database.url, DATA_DIR: path.join(folder, 'misplaced') })
      assert.equal(await service.ended, 1)
      assert.match(service.output(), problem)
      assert.deepEqual((await database.pool.query('select 1 from applications')).rows, [])
      assert.deepEqual((await database.pool.query('select mode from installation')).rows, [{ mode }])
    } finally {
      await database.drop()
    }
  }
})

test('a process with another key refuses to start in a sentence that says what to do', async () => {
  const database = await createTestDatabase({ mode: 'production' })
  try {
    await createTestPartner(database.pool)
    const service = start({ ...PRODUCTION, SECRETS_KEY: randomBytes(32).toString('base64'), DATABASE_URL: database.url })
    assert.equal(await service.ended, 1)
    assert.match(
      service.output(),
      /^SECRETS_KEY is not the key that the secrets in this database are encrypted with \([0-9a-f]{12}\): set that key/,
    )
  } finally {
    await database.drop()
  }
})

test('production has no seeds and no simulator, is stamped, and an operator without settings is off', async () => {
  const database = await createTestDatabase()
  const stub = await freePort()
  const service = start({
    ...PRODUCTION,
    DATABASE_URL: database.url,
    OPERATOR_WAVE_BASE_URL: `http://127.0.0.1:${stub}`,
    OPERATOR_WAVE_SECRET: 'shared with the operator',
  })
  try {
    await ready()
    assert.deepEqual((await database.pool.query('select 1 from applications')).rows, [])
    assert.deepEqual((await database.pool.query('select mode from installation')).rows, [{ mode: 'production' }])
    assert.deepEqual(await pidsOf('simulator/main.ts', service.child.pid), [])
    assert.doesNotMatch(service.output(), /sandbox/)
    const call = await partner(await createTestPartner(database.pool))
    // Its keys and addresses are in force within a second of being written.
    const wave = { transferMethod: 'SNWAVE', countryName: 'SENEGAL', phoneNumber: '221771234567' }
    await until('an operator with settings is in service', async () => (await call('collect', wave)).status === 200)
    assert.equal((await call('collect')).status, 403)
    assert.equal(await stop(service), 0)
  } finally {
    await stop(service)
    await database.drop()
  }
})

test('the service starts, says where it is, refuses a twin, and ends leaving nothing but its data', async () => {
  const service = start()
  await ready()
  await until('the announcement', async () => service.output().includes('sandbox.json'))
  assert.match(service.output(), new RegExp(`http://127.0.0.1:${port} `))
  assert.match(service.output(), /This is a sandbox/)
  for (const name of ['sandbox.json', 'secrets.json', 'postgres.url'])
    assert.equal((await stat(path.join(folder, 'data', name))).mode & 0o777, 0o600, name)
  const twin = start({ PORT: String(await freePort()) })
  assert.equal(await twin.ended, 1)
  assert.match(twin.output(), new RegExp(`^Already running on http://127.0.0.1:${port} \\(process ${service.child.pid}\\)`))
  assert.equal(await stop(service), 0)
  assert.deepEqual(await pidsOf(folder), [])
  await assert.rejects(stat(path.join(folder, 'data/postgres.url')))
})

test('after a SIGKILL of everything but PostgreSQL the next start finds all that was answered', async () => {
  const service = start()
  await ready()
  const before = await sandbox()
  const call = await partner()
  const { status, transactionId } = await call('deposit')
  assert.equal(status, 200)
  service.child.kill('SIGKILL')
  await service.ended
  const again = start()
  await ready()
  assert.deepEqual(await sandbox(), before)
  const callAgain = await partner()
  assert.deepEqual(await callAgain(`transaction-status?id=${transactionId}`), { status: 200, transactionId })
  assert.equal((await pidsOf(folder)).filter((pid) => pid !== again.child.pid).length > 0, true)
  assert.equal(await stop(again), 0)
  assert.deepEqual(await pidsOf(folder), [])
})

test('a killed PostgreSQL comes back by itself, and so does a killed simulator', async () => {
  const service = start()
  await ready()
  const [postmaster] = await pidsOf(`-D\0${path.join(folder, 'data/postgres')}`)
  const [simulator] = await pidsOf(path.join(folder, 'data/simulator'))
  assert.ok(postmaster && simulator)
  process.kill(postmaster, 'SIGKILL')
  process.kill(simulator, 'SIGKILL')
  await until('a new PostgreSQL', async () => (await pidsOf(`-D\0${path.join(folder, 'data/postgres')}`)).some((pid) => pid !== postmaster))
  await until('a new simulator', async () => (await pidsOf(path.join(folder, 'data/simulator'))).some((pid) => pid !== simulator))
  await ready()
  const call = await partner()
  const { status, transactionId } = await call('collect')
  assert.equal(status, 200)
  await until('the operator answers', async () => {
    const response = await call(`chekTransactionStatus?transactionId=${transactionId}`)
    return response.status === 200
  })
  assert.equal(await stop(service), 0)
})

test('requests that were accepted while the end began are answered', async () => {
  const service = start()
  await ready()
  const call = await partner()
  const answers = Array.from({ length: 60 }, () =>
    call('deposit').then(
      (answer) => answer.status,
      () => 0,
    ),
  )
  await Promise.race(answers)
  service.child.kill('SIGTERM')
  const accepted = (await Promise.all(answers)).filter((status) => status === 200).length
  assert.equal(await service.ended, 0)
  const again = start()
  await ready()
  const databaseUrl = (await readFile(path.join(folder, 'data/postgres.url'), 'utf8')).trim()
  const pool = createPool({ databaseUrl, connectionsMax: 1, applicationName: 'test' })
  const { rows } = await pool.query<{ count: bigint }>(
    `select count(*) from transactions where webhook_url = 'http://127.0.0.1:9/nobody' and type = 'DEPOSIT'`,
  )
  await pool.end()
  // One more was made by the test of the SIGKILL.
  assert.ok((rows[0]?.count ?? 0n) >= BigInt(accepted) + 1n, `${rows[0]?.count} stored, ${accepted} answered`)
  assert.ok(accepted > 0)
  assert.equal(await stop(again), 0)
})

test('two web processes share the port, and roles run apart on one database', async () => {
  const service = start({ WEB_CONCURRENCY: '2' })
  await ready()
  await until('both web processes', async () => (await pidsOf('process/web-process.ts', service.child.pid)).length === 2)
  const call = await partner()
  const statuses = await Promise.all(Array.from({ length: 20 }, () => call('collect').then((answer) => answer.status)))
  assert.deepEqual(new Set(statuses), new Set([200]))

  const databaseUrl = (await readFile(path.join(folder, 'data/postgres.url'), 'utf8')).trim()
  const secrets = JSON.parse(await readFile(path.join(folder, 'data/secrets.json'), 'utf8')) as Record<string, string>
  const worker = start({
    ...secrets,
    ROLE: 'worker',
    SANDBOX: '1',
    DATABASE_URL: databaseUrl,
    DATA_DIR: path.join(folder, 'worker'),
    SIMULATOR_PORT: String(await freePort()),
  })
  await until('the worker', async () => worker.output().includes('worker is running'))
  assert.equal(await stop(worker), 0)
  assert.equal(await stop(service), 0)
  assert.deepEqual(await pidsOf(folder), [])
})
