// Measures from outside whether an event loop answers: node probe-process.ts <host> <port> <path> <interval ms> <pid>.
// Asks on a connection of its own every so often, asks an idle control server in a third process at the same moment, and reads
// from the kernel how long the measured main thread waited for a CPU. What this process waits for one shows in the control's
// latency. Tells its parent about slow answers.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { readSchedule } from './schedule.ts'

export type SlowProbe = {
  atMs: number
  latencyMs: number
  /** The control server's latency at the same time. */
  controlMs: number
  /** How long the measured thread stood in the queue for a CPU meanwhile. */
  starvedMs: number
  /** How long it computed meanwhile. */
  computedMs: number
}
export type ProbeMessage = { kind: 'slow'; probe: SlowProbe } | { kind: 'count'; probes: number }

const [host = '', port = '', path = '', interval = '20', firstPid = '0', controlPort = '0'] = process.argv.slice(2)
const REPORTED_FROM_MS = 100
const ANSWER_LIMIT_MS = 30_000
let pid = Number(firstPid)
let probes = 0
process.on('message', (message: { pid: number }) => {
  pid = message.pid
})
process.once('disconnect', () => process.exit(0))

/** A connection that is opened again when it was lost. */
class Line {
  #socket: Socket | undefined
  #place: { host: string; port: number }
  #request: string
  constructor(place: { host: string; port: number }, request: string) {
    this.#place = place
    this.#request = request
  }

  /** Milliseconds until the whole answer was here; undefined when none came. */
  ask(): Promise<number | undefined> {
    const startedMs = performance.now()
    return new Promise((resolve) => {
      const socket = this.#socket ?? connect({ ...this.#place, noDelay: true })
      this.#socket = socket
      let text = ''
      const done = (value: number | undefined) => {
        clearTimeout(timer)
        socket.removeAllListeners()
        socket.on('error', () => undefined)
        if (value === undefined || /connection: close/i.test(text)) {
          socket.destroy()
          this.#socket = undefined
        }
        resolve(value)
      }
      const timer = setTimeout(() => done(performance.now() - startedMs), ANSWER_LIMIT_MS)
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1')
        if (text.includes('\r\n\r\n') && text.endsWith('}')) done(performance.now() - startedMs)
      })
      socket.on('error', () => done(undefined))
      socket.on('close', () => done(undefined))
      socket.write(this.#request)
    })
  }
}

const request = (target: string) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
const measured = new Line({ host, port: Number(port) }, request(path))
const control = new Line({ host, port: Number(controlPort) }, request('/'))

async function probe(): Promise<void> {
  const [before, pidBefore] = [readSchedule(pid), pid]
  const startedMs = performance.now()
  let controlWorstMs = 0
  let isWaiting = true
  // The control server is queried for as long as the other one: both feel the same machine.
  const controlling = (async () => {
    do {
      controlWorstMs = Math.max(controlWorstMs, (await control.ask()) ?? 0)
      if (isWaiting) await delay(5)
    } while (isWaiting)
  })()
  const latencyMs = await measured.ask()
  isWaiting = false
  probes++
  await controlling
  if (latencyMs === undefined || latencyMs < REPORTED_FROM_MS || pid !== pidBefore) return
  const after = readSchedule(pid)
  const message: ProbeMessage = {
    kind: 'slow',
    probe: {
      atMs: Date.now() - (performance.now() - startedMs),
      latencyMs,
      controlMs: controlWorstMs,
      starvedMs: after.queuedMs - before.queuedMs,
      computedMs: after.computedMs - before.computedMs,
    },
  }
  process.send?.(message)
}

for (;;) {
  const nextMs = performance.now() + Number(interval)
  await probe()
  if (probes % 50 === 0) process.send?.({ kind: 'count', probes } satisfies ProbeMessage)
  await delay(Math.max(1, nextMs - performance.now()))
}
