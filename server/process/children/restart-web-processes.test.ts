import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { type LauncherHarness, openLauncherHarness } from '#server/testing/service/launcher-harness.ts'
import { pidsOf } from '#server/testing/service/processes.ts'
import { PATIENTLY } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let launcher: LauncherHarness

before(async () => {
  launcher = await openLauncherHarness()
})
afterEach(() => launcher.stopAll())
after(() => launcher.close())

/** A request whose body is not complete yet, and what has come back of the answer. */
type Pending = { socket: Socket; serverPid: number | undefined; answer: string; hasFailed: boolean }

/** The process that holds the other end of this connection. */
function serverPidOf(socket: Socket, candidates: readonly number[]): number | undefined {
  const hex = (value: number | undefined) => (value ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((entry) => new RegExp(`^\\s*\\d+: \\w+:${hex(launcher.port)} \\w+:${hex(socket.localPort)} `).test(entry))
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
  const socket = connect(launcher.port, '127.0.0.1').setEncoding('utf8')
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

test('401 for every request of the other web process when one crashes, and exit code 139 at its third crash', async () => {
  const one = await launcher.launch({ WEB_CONCURRENCY: '2', LOG_LEVEL: 'error' })
  await one.untilReady()
  const main = await launcher.serviceOf(one)
  const webPids = () => pidsOf('process/children/web-process.ts', main)
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
  await waitUntil('the restarted process counts its crash', async () => counted.test((await one.get('/metrics')).text), PATIENTLY)
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
