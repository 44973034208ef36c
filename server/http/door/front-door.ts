import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { BodyBudget } from '../request/body-budget.ts'
import { openConnection } from '../request/connection.ts'
import { watchMemoryPressure } from './memory-pressure.ts'
import { answerClientError, createReceiver, type ReceiverOptions, refuseConnect } from './receive-request.ts'

export type FrontDoorOptions = ReceiverOptions & {
  headersTimeoutMs?: number
  requestTimeoutMs?: number
}

export type FrontDoor = {
  /** Resolves with the port once connections are accepted; rejects when the port is taken. */
  listen(address: { host: string; port: number; reusePort?: boolean }): Promise<number>
  /**
   * For a quarter of a second answers what still arrives, each time as the last answer of its connection; then accepts
   * nothing new, finishes what was accepted, closes every connection. Pages that stream are cut after `graceMs`.
   */
  drain(graceMs?: number): Promise<void>
}

const HEADER_BYTES_MAX = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
// Longer than the limits of bodies: it only guards bodies that nothing reads.
const REQUEST_TIMEOUT_MS = 60_000
// A client that does not read its answer keeps that answer in memory. Live pages send something every 15 s.
const STALL_TIMEOUT_MS = 120_000
// Longer than the idle time of usual load balancers, so that they close first and never send into a closing socket.
const KEEP_ALIVE_MS = 65_000
const PAGE_GRACE_MS = 5_000
// Longer than a request travels; each answer in this time closes its connection.
const LINGER_MS = 250

/** The one socket of a process: the API straight from its handlers, everything else through Next. */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { clock, logger } = options.runtime
  const memory = watchMemoryPressure()
  const receiver = createReceiver({ budget: new BodyBudget({ isMemoryShort: memory.isShort }), ...options })
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Its built-in refusal has no body.
    requireHostHeader: false,
    noDelay: true,
    // Next listens for upgrades as soon as it has served a page, and would cut such connections without an answer.
    shouldUpgradeCallback: () => false,
  })
  server.timeout = STALL_TIMEOUT_MS
  // A client may close its sending half as soon as the request is out (`nc -N`, old HTTP libraries) and still wait for the answer. The
  // types do not know this one.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', openConnection)
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => receiver.receive(incoming, outgoing, false))
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => receiver.receive(incoming, outgoing, true))
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => receiver.refuseExpectation(incoming, outgoing))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket, clock))
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => refuseConnect(incoming, socket, clock))

  function listen({ host, port, reusePort = false }: { host: string; port: number; reusePort?: boolean }): Promise<number> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, reusePort, backlog: 1_024 }, () => {
        server.off('error', reject)
        // One connection that could not be accepted (no file descriptor is left) must not end those that were.
        server.on('error', (error) =>
          reportUnexpected('front door: accept', error, { logger, message: 'A connection could not be accepted' }),
        )
        resolve((server.address() as AddressInfo).port)
      })
    })
  }

  async function drain(graceMs = PAGE_GRACE_MS): Promise<void> {
    receiver.startDraining()
    // Closing the server would cut quiet connections whose next request is on its way, or here but not read yet.
    await delay(LINGER_MS)
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    await receiver.whenApiQuiet()
    // The answers are written; what is still open now are pages, some of which stream until they are ended.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    await closed
    clearInterval(sweep)
    clearTimeout(timer)
    memory.stop()
  }

  return { listen, drain }
}
