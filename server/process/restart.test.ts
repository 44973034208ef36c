import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { freePort } from '#server/database/embedded.ts'
import { copySeededData } from '#server/testing/seeded-data.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { get, isReady, pidsOf, type Started, startNode, stop } from './testing.ts'

const SERVER = new URL('../', import.meta.url).pathname
/** What `npm start` runs once everything is installed and built. */
const LAUNCHER = `
  import { spawnSync } from 'node:child_process'
  import { keepRunning } from '${SERVER}process/keep-running.mjs'
  const service = keepRunning({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', '${SERVER}main.ts'],
    environment: process.env,
    sweep: () => spawnSync(process.execPath, ['${SERVER}process/end-leftover.ts'], { stdio: 'ignore' }),
    windowMs: Number(process.env.TEST_WINDOW_MS),
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.end(signal))`

let folder: string
let port: number
const launched: Started[] = []
/** Starts are slow on a busy machine. */
const PATIENTLY = { limitMs: 60_000, pauseMs: 100 }

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-restart-'))
  await chmod(folder, 0o755)
  await copySeededData(path.join(folder, 'data'))
  port = await freePort()
})
afterEach(async () => {
  await Promise.all(launched.splice(0).map(stop))
  await waitUntil('no process is left', () => pidsOf(folder).length === 0, PATIENTLY)
})
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

function launch(environment: Record<string, string> = {}): Started {
  const one = startNode(['--input-type=module', '-e', LAUNCHER], {
    NODE_ENV: 'development',
    PORT: String(port),
    DATA_DIR: path.join(folder, 'data'),
    LOG_LEVEL: 'fatal',
    // Starts are slow on a busy machine: what is a minute for the policy is longer here.
    TEST_WINDOW_MS: '600000',
    ...environment,
  })
  launched.push(one)
  return one
}

const ready = () => waitUntil('the service is ready', () => isReady(port), PATIENTLY)

/** The service's own process, once there is one that is not among those that are gone. */
function serviceOf(one: Started, known: readonly number[] = []): Promise<number> {
  return waitUntil('the service runs', () => pidsOf('main.ts', one.child.pid).find((pid) => !known.includes(pid)), PATIENTLY)
}

test('a service that crashes is restarted twice, and its third crash ends it with exit code 139', async () => {
  const one = launch()
  await ready()
  const crashed: number[] = []
  for (const [signal, count] of [
    ['SIGSEGV', 1],
    ['SIGABRT', 2],
  ] as const) {
    const pid = await serviceOf(one, crashed)
    crashed.push(pid)
    process.kill(pid, signal)
    await waitUntil('the restart', async () => one.output().includes(`"crashes":${count}`), PATIENTLY)
    await serviceOf(one, crashed)
    await ready()
    assert.match(one.output(), new RegExp(`The service crashed \\(signal ${signal}\\); it is restarted in \\d`))
    const { text } = await get(port, '/metrics')
    assert.match(text, new RegExp(`^countersign_crashes_total\\{process="service"\\} ${count}$`, 'm'))
  }
  process.kill(await serviceOf(one, crashed), 'SIGSEGV')
  assert.equal(await one.ended, 139)
  assert.match(one.output(), /for the third time within a minute; it is not restarted/)
  await waitUntil('PostgreSQL and the simulator are gone too', async () => pidsOf(folder).length === 0, PATIENTLY)
})

test('exit code 0 and no process left: a signal while the restart is pending', async () => {
  const one = launch()
  await ready()
  process.kill(await serviceOf(one), 'SIGSEGV')
  await waitUntil('the crash', async () => one.output().includes('it is restarted in'), PATIENTLY)
  one.child.kill('SIGTERM')
  assert.equal(await one.ended, 0)
  assert.deepEqual(pidsOf(folder), [])
})

test('exit code 0 or 143 and no process left: a signal while the service is being restarted', async () => {
  const one = launch()
  await ready()
  const crashed = await serviceOf(one)
  process.kill(crashed, 'SIGSEGV')
  await serviceOf(one, [crashed])
  one.child.kill('SIGTERM')
  // It may not have got to the point where it ends in order: then the signal itself ends it.
  assert.ok([0, 143].includes((await one.ended) ?? -1))
})

test('exit code 1 without a restart: a bad configuration, and a taken port', async () => {
  const bad = launch({ WEB_CONCURRENCY: 'many' })
  assert.equal(await bad.ended, 1)
  assert.equal(bad.output(), 'WEB_CONCURRENCY must be a whole number.\n')
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  try {
    const taken = launch()
    assert.equal(await taken.ended, 1)
    assert.match(taken.output(), new RegExp(`PORT ${port} is taken by another program; set PORT to a free one\\.\n$`))
    assert.doesNotMatch(taken.output(), /restarted/)
  } finally {
    other.close()
  }
})

/** A request whose body is not complete yet, and what has come back of the answer. */
type Pending = { socket: Socket; serverPid: number | undefined; answer: string; hasFailed: boolean }

/** The process that holds the other end of this connection. */
function serverPidOf(socket: Socket, candidates: readonly number[]): number | undefined {
  const hex = (value: number | undefined) => (value ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((entry) => new RegExp(`^\\s*\\d+: \\w+:${hex(port)} \\w+:${hex(socket.localPort)} `).test(entry))
  const inode = line?.trim().split(/\s+/)[9]
  return candidates.find((pid) =>
    readdirSync(`/proc/${pid}/fd`).some((name) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`) === `socket:[${inode}]`
      } catch {
        return false
      }
    }),
  )
}

async function beginRequest(webPids: readonly number[]): Promise<Pending> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  const pending: Pending = { socket, serverPid: undefined, answer: '', hasFailed: false }
  socket.on('error', () => {
    pending.hasFailed = true
  })
  socket.on('data', (text) => {
    pending.answer += text
  })
  await once(socket, 'connect')
  socket.write('POST /public/access_token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n{"username":')
  pending.serverPid = await waitUntil('the connection is accepted', () => serverPidOf(socket, webPids))
  return pending
}

test('401 for every request of the other web process when one crashes; its third crash ends the service with exit code 139', async () => {
  const one = launch({ WEB_CONCURRENCY: '2', LOG_LEVEL: 'error' })
  await ready()
  const main = await serviceOf(one)
  const webPids = () => pidsOf('process/web-process.ts', main)
  await waitUntil('both web processes', async () => webPids().length === 2, PATIENTLY)
  const [victim = 0, survivor = 0] = webPids()

  const pending: Pending[] = []
  while (!pending.some((each) => each.serverPid === survivor) || pending.length < 8) pending.push(await beginRequest([victim, survivor]))
  process.kill(victim, 'SIGSEGV')
  await waitUntil('the victim is gone', async () => !webPids().includes(victim), PATIENTLY)
  const spared = pending.filter((each) => each.serverPid === survivor)
  for (const { socket } of spared) socket.write('"nobody","password":"x"}')
  await waitUntil(
    'every request of the survivor is answered',
    async () => spared.every((each) => each.answer.includes('HTTP/1.1 401')),
    PATIENTLY,
  )
  assert.ok(spared.every((each) => !each.hasFailed))
  for (const { socket } of pending) socket.destroy()

  const counted = /^countersign_crashes_total\{process="web \d"\} 1$/m
  await waitUntil('the restarted process counts its crash', async () => counted.test((await get(port, '/metrics')).text), PATIENTLY)
  const gone = [victim]
  for (let crash = 2; crash <= 3; crash++) {
    const successor = await waitUntil('the successor', () => webPids().find((pid) => pid !== survivor && !gone.includes(pid)), PATIENTLY)
    process.kill(successor, 'SIGSEGV')
    gone.push(successor)
    await waitUntil('its end', async () => !webPids().includes(successor), PATIENTLY)
  }
  assert.equal(await one.ended, 139)
  assert.doesNotMatch(one.output(), /The service crashed/)
  assert.match(one.output(), /A child process crashed for the third time within a minute/)
})
