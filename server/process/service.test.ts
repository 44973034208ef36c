import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPool } from '#server/database/pool.ts'
import type { SandboxFile } from '#server/sandbox/seed-sandbox.ts'
import { pidsOf } from '#server/testing/service/processes.ts'
import { copySeededData } from '#server/testing/service/seeded-data.ts'
import { launchService, PATIENTLY, type Service } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Call, signInPartner } from './testing.ts'

let folder: string
let port: number
/** The services that a test has started for itself: a test that fails half-way must not leave them to the next one. */
const started: Service[] = []
let shared: Service | undefined

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-service-'))
  await chmod(folder, 0o755)
  await copySeededData(path.join(folder, 'data'))
  for (const name of ['', 'simulator']) await chmod(path.join(folder, 'data', name), 0o755)
  port = await freePort()
})
afterEach(() => Promise.all(started.splice(0).map((service) => service.stop())))
after(async () => {
  await shared?.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Starts the service, by default as a sandbox on the data folder of this file. */
async function start(environment: Record<string, string> = {}, at = port): Promise<Service> {
  const service = await launch(environment, at)
  started.push(service)
  return service
}

function launch(environment: Record<string, string> = {}, at = port): Promise<Service> {
  const settings = { NODE_ENV: 'development', DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'fatal', SIMULATOR_DELAY_MS: '50' }
  return launchService({ port: at, environment: { ...settings, ...environment } })
}

/** The sandbox of this file, started by the first test that needs it and shared until a test ends it. */
async function running(): Promise<Service> {
  if (!shared || shared.hasEnded) shared = await launch()
  await shared.untilReady()
  return shared
}

const postmasterOf = () => pidsOf(`-D ${path.join(folder, 'data/postgres')}`)[0]
const simulatorOf = () => pidsOf(path.join(folder, 'data/simulator'))[0]
const readData = async (name: string) => (await readFile(path.join(folder, 'data', name), 'utf8')).trim()

async function sandbox(): Promise<SandboxFile> {
  return JSON.parse(await readData('sandbox.json'))
}

/** Signs in the program of the sandbox's first application. */
async function partner(): Promise<Call> {
  const [first] = (await sandbox()).applications
  return signInPartner(`http://127.0.0.1:${port}`, first ?? assert.fail('no application'))
}

test('the address, the mode and the file with the passwords in the announcement', async () => {
  const service = await running()
  await waitUntil('the announcement', () => service.output().includes('sandbox.json'), PATIENTLY)
  assert.match(service.output(), new RegExp(`http://127.0.0.1:${port} `))
  assert.match(service.output(), /This is a sandbox/)
})

for (const name of ['sandbox.json', 'secrets.json', 'postgres.url']) {
  test(`0600: only the owner reads ${name}`, async () => {
    await running()
    assert.equal((await stat(path.join(folder, 'data', name))).mode & 0o777, 0o600)
  })
}

test('0700: only the owner enters the data folder and the folders in it, also those that were open before', async () => {
  await running()
  for (const name of ['', 'simulator']) assert.equal((await stat(path.join(folder, 'data', name))).mode & 0o777, 0o700, name)
})

test('exit code 1 and the address of the other: a second service on the same data folder', async () => {
  const service = await running()
  const twin = await start({}, await freePort())
  assert.equal(await twin.ended, 1)
  assert.match(twin.output(), new RegExp(`^Already running on http://127.0.0.1:${port} \\(process ${service.pid}\\)`))
})

test('200 for a collect after PostgreSQL and the simulator were killed and restarted', async () => {
  await running()
  const [postmaster, simulator] = [postmasterOf(), simulatorOf()]
  assert.ok(postmaster && simulator)
  process.kill(postmaster, 'SIGKILL')
  process.kill(simulator, 'SIGKILL')
  await waitUntil('a new PostgreSQL', () => ![undefined, postmaster].includes(postmasterOf()), PATIENTLY)
  await waitUntil('a new simulator', () => ![undefined, simulator].includes(simulatorOf()), PATIENTLY)
  await running()
  // Connections of before can still break: such a call is answered with 503, and a program repeats it.
  const call = await waitUntil('tokens', () => partner().catch(() => undefined), PATIENTLY)
  const { transactionId } = await waitUntil(
    'a collect is accepted',
    async () => {
      const answer = await call('collect')
      assert.ok([200, 503].includes(answer.status), String(answer.status))
      return answer.status === 200 && answer
    },
    PATIENTLY,
  )
  await waitUntil('the operator answers', async () => (await call(`chekTransactionStatus?transactionId=${transactionId}`)).status === 200)
})

test('200 for a transaction that was accepted before a SIGKILL of the service, after the next start', async () => {
  const service = await running()
  const before = await sandbox()
  const { status, transactionId } = await (await partner())('deposit')
  assert.equal(status, 200)
  service.kill()
  await service.ended
  await running()
  assert.deepEqual(await sandbox(), before)
  const call = await partner()
  assert.deepEqual(await call(`transaction-status?id=${transactionId}`), { status: 200, transactionId })
})

test('every deposit that was answered with 200 while SIGTERM was handled is stored', async () => {
  const service = await running()
  const call = await partner()
  const webhookUrl = `http://127.0.0.1:9/${crypto.randomUUID()}`
  const answers = Array.from({ length: 60 }, () =>
    call('deposit', { webhookUrl }).then(
      (answer) => answer.status,
      () => 0,
    ),
  )
  await Promise.race(answers)
  service.kill('SIGTERM')
  const accepted = (await Promise.all(answers)).filter((status) => status === 200).length
  assert.equal(await service.ended, 0)
  await running()
  const pool = createPool({ databaseUrl: await readData('postgres.url'), connectionsMax: 1, applicationName: 'test' })
  const { rows } = await pool.query<{ count: bigint }>('select count(*) from transactions where webhook_url = $1', [webhookUrl])
  await pool.end()
  const stored = Number(rows[0]?.count)
  assert.ok(accepted > 0)
  assert.ok(stored >= accepted, `${stored} stored, ${accepted} answered`)
})

test('nothing but the data is left after SIGTERM', async () => {
  assert.equal(await (await running()).stop(), 0)
  assert.deepEqual(pidsOf(folder), [])
  await assert.rejects(stat(path.join(folder, 'data/postgres.url')))
})

test('a final result of every transaction that two web processes accept and two worker processes carry out, while a third worker runs', async () => {
  await shared?.stop()
  const service = await start({ WEB_CONCURRENCY: '2', WORKER_CONCURRENCY: '2' })
  await service.untilReady()
  for (const entry of ['process/children/web-process.ts', 'process/children/worker-process.ts'])
    await waitUntil(entry, () => pidsOf(entry, service.pid).length === 2, PATIENTLY)
  const call = await partner()
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('collect')))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const pool = createPool({ databaseUrl: await readData('postgres.url'), connectionsMax: 1, applicationName: 'test' })
  const isFinal = async () => {
    const { rows } = await pool.query<{ count: bigint }>(
      `select count(*) from transactions where transaction_id = any ($1) and status in ('SUCCESS', 'FAILED')`,
      [answers.map(({ transactionId }) => transactionId)],
    )
    return rows[0]?.count === 20n
  }
  await waitUntil('final results', isFinal, PATIENTLY)
  await pool.end()
  const worker = await start(
    {
      ...(JSON.parse(await readData('secrets.json')) as Record<string, string>),
      ROLE: 'worker',
      SANDBOX: '1',
      DATABASE_URL: await readData('postgres.url'),
      DATA_DIR: path.join(folder, 'worker'),
      SIMULATOR_PORT: String(await freePort()),
    },
    await freePort(),
  )
  await waitUntil('the worker', () => worker.output().includes('worker is running'), PATIENTLY)
  // The database belongs to the other one, so the worker ends first.
  assert.deepEqual([await worker.stop(), await service.stop()], [0, 0])
  assert.deepEqual(pidsOf(folder), [])
})
