import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/database/embedded.ts'

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
const launched: Launched[] = []

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-restart-'))
  await chmod(folder, 0o755)
  port = await freePort()
})
afterEach(async () => {
  for (const one of launched.splice(0)) {
    if (one.child.exitCode !== null || one.child.signalCode !== null) continue
    one.child.kill('SIGTERM')
    await one.ended
  }
  await until('nothing runs any more', async () => pidsOf(folder).length === 0)
})
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

type Launched = { child: ChildProcess; output(): string; ended: Promise<number | null> }

function launch(environment: Record<string, string> = {}): Launched {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LAUNCHER], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'development',
      PORT: String(port),
      DATA_DIR: path.join(folder, 'data'),
      LOG_LEVEL: 'fatal',
      // Starts are slow on a busy machine: what is a minute for the policy is longer here.
      TEST_WINDOW_MS: '600000',
      ...environment,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const one: Launched = { child, output: () => output, ended: once(child, 'close').then(([code]) => code) }
  launched.push(one)
  return one
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const endsAtMs = Date.now() + 60_000; Date.now() < endsAtMs; await delay(25)) if (await condition()) return
  throw new Error(`Waited in vain: ${what}`)
}

const get = (address: string) =>
  fetch(`http://127.0.0.1:${port}${address}`, { headers: { connection: 'close' } }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 0, text: '' }),
  )
const ready = () => until('the service is ready', async () => (await get('/health/ready')).status === 200)

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** Running processes with this in their command line, children of `parent` where one is named. */
function pidsOf(fragment: string, parent?: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const status = statusOf(pid)
      if (status === '' || /^State:\s+Z/m.test(status)) return false
      if (parent !== undefined && Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) return false
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(fragment)
      } catch {
        return false
      }
    })
}

/** The service's own process, once there is one that is not among those that are gone. */
async function serviceOf(one: Launched, known: readonly number[] = []): Promise<number> {
  let found: number | undefined
  await until('the service runs', async () => {
    found = pidsOf('main.ts', one.child.pid).find((pid) => !known.includes(pid))
    return found !== undefined
  })
  return found ?? assert.fail()
}

test('a service that crashes is restarted with its database, its crashes are logged and counted, and the third ends it with its exit code', async () => {
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
    await until('the restart', async () => one.output().includes(`"crashes":${count}`))
    await serviceOf(one, crashed)
    await ready()
    assert.match(one.output(), new RegExp(`The service crashed \\(signal ${signal}\\); it is restarted in \\d`))
    const { text } = await get('/metrics')
    assert.match(text, new RegExp(`^countersign_crashes_total\\{process="service"\\} ${count}$`, 'm'))
  }
  process.kill(await serviceOf(one, crashed), 'SIGSEGV')
  assert.equal(await one.ended, 139)
  assert.match(one.output(), /for the third time within a minute; it is not restarted/)
  await until('PostgreSQL and the simulator are gone too', async () => pidsOf(folder).length === 0)
})

test('a signal while the restart is pending ends everything with exit code 0, and nothing is left', async () => {
  const one = launch()
  await ready()
  process.kill(await serviceOf(one), 'SIGSEGV')
  await until('the crash', async () => one.output().includes('it is restarted in'))
  one.child.kill('SIGTERM')
  assert.equal(await one.ended, 0)
  assert.deepEqual(pidsOf(folder), [])
})

test('a signal while the service is being restarted ends it, and nothing is left', async () => {
  const one = launch()
  await ready()
  const crashed = await serviceOf(one)
  process.kill(crashed, 'SIGSEGV')
  await serviceOf(one, [crashed])
  one.child.kill('SIGTERM')
  // It may not have got to the point where it ends in order: then the signal itself ends it.
  assert.ok([0, 143].includes((await one.ended) ?? -1))
})

test('a start that is refused is not repeated: bad configuration, taken port', async () => {
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
  await until('the connection is accepted', async () => {
    pending.serverPid = serverPidOf(socket, webPids)
    return pending.serverPid !== undefined
  })
  return pending
}

test('a web process that crashes does not touch the requests of the other, is restarted and counted, and ends the service when it does so again and again', async () => {
  const one = launch({ WEB_CONCURRENCY: '2', LOG_LEVEL: 'error' })
  await ready()
  const main = await serviceOf(one)
  const webPids = () => pidsOf('process/web-process.ts', main)
  await until('both web processes', async () => webPids().length === 2)
  const [victim = 0, survivor = 0] = webPids()

  const pending: Pending[] = []
  while (!pending.some((each) => each.serverPid === survivor) || pending.length < 8) pending.push(await beginRequest([victim, survivor]))
  process.kill(victim, 'SIGSEGV')
  await until('the victim is gone', async () => !webPids().includes(victim))
  const spared = pending.filter((each) => each.serverPid === survivor)
  for (const { socket } of spared) socket.write('"nobody","password":"x"}')
  await until('every request of the survivor is answered', async () => spared.every((each) => each.answer.includes('HTTP/1.1 401')))
  assert.ok(spared.every((each) => !each.hasFailed))
  for (const { socket } of pending) socket.destroy()

  const counted = /^countersign_crashes_total\{process="web \d"\} 1$/m
  await until('the restarted process counts its crash', async () => counted.test((await get('/metrics')).text))
  const gone = [victim]
  for (let crash = 2; crash <= 3; crash++) {
    let successor = 0
    await until('the successor', async () => {
      successor = webPids().find((pid) => pid !== survivor && !gone.includes(pid)) ?? 0
      return successor !== 0
    })
    process.kill(successor, 'SIGSEGV')
    gone.push(successor)
    await until('its end', async () => !webPids().includes(successor))
  }
  assert.equal(await one.ended, 139)
  assert.doesNotMatch(one.output(), /The service crashed/)
  assert.match(one.output(), /A child process crashed for the third time within a minute/)
})
