import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiResponse } from './api-response.ts'
import { answerClientError, noteUnderWay, refuseConnect } from './client-error.ts'
import { errorResponse, type Refusal, refuse } from './errors.ts'
import { cleanForNext, forwardedFor, isForwarded } from './forwarded-headers.ts'
import { handleApiRequest } from './handle-api-request.ts'
import type { HttpRuntime } from './http-runtime.ts'
import { BODY_LIMITS, type BodyLimits, NodeRequest } from './node-request.ts'
import { createPeerResolver } from './peer-address.ts'
import { runBehindDoor } from './peer-context.ts'
import { callNext } from './refuse-before-next.ts'
import { findEndpoint, isApiPath } from './routes.ts'
import { isAmbiguousPath, readTarget, type Target } from './target.ts'

/** Whatever answers the pages: Next's request handler. */
export type Fallback = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

export type FrontDoorOptions = {
  runtime: HttpRuntime
  fallback: Fallback
  /** `next`: known API paths are answered by the route handlers, for hosts and tests of that mount (DESIGN 3). */
  apiMount: 'direct' | 'next'
  bodyLimits?: BodyLimits
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
// Longer than the limit of a partner's body: this one also guards the forms of the pages.
const REQUEST_TIMEOUT_MS = 60_000
// Longer than the idle time of usual load balancers, so that they close first and never send into a closing socket.
const KEEP_ALIVE_MS = 65_000
const PAGE_GRACE_MS = 5_000
// Longer than a request travels; each answer given meanwhile asks its client to come back over another connection.
const LINGER_MS = 250
// What a Request of the fetch standard can carry; the others stop here.
const METHODS_FOR_NEXT = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The one socket of a process: the API straight from its handlers, everything else through Next (DESIGN 3). */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { runtime, fallback, apiMount, bodyLimits = BODY_LIMITS } = options
  const peers = createPeerResolver(runtime.config.trustedProxies)
  let isDraining = false
  let apiRequestsUnderWay = 0
  let whenQuiet: (() => void) | undefined

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
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => receive(incoming, outgoing, undefined))
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => receive(incoming, outgoing, outgoing))
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    refuseAtDoor(incoming, outgoing, refuse(417, 'Expect may only be 100-continue.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket, runtime.clock))
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => refuseConnect(incoming, socket, runtime.clock))

  function receive(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: ServerResponse | undefined): void {
    const target = readTarget(incoming.url ?? '')
    if (!target) return refuseAtDoor(incoming, outgoing, refuse(400, 'The request line must name a path.'))
    const isKnown = findEndpoint(target.path) !== undefined
    if (isKnown ? apiMount === 'direct' : isApiPath(target.path) || isAmbiguousPath(target.path)) {
      return void answerApi(incoming, outgoing, target, awaitsContinue)
    }
    passToNext(incoming, outgoing, target, awaitsContinue)
  }

  async function answerApi(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    target: Target,
    awaitsContinue: ServerResponse | undefined,
  ): Promise<void> {
    const { socket } = incoming
    apiRequestsUnderWay++
    noteUnderWay(socket, 1)
    const request = new NodeRequest(incoming, target, peerOf(incoming), bodyLimits, awaitsContinue)
    const response = await handleApiRequest(runtime, request)
    const isCutOff = (response.status === 413 || response.status === 408) && !incoming.complete
    write(outgoing, response, incoming.method === 'HEAD', isDraining || isCutOff || request.isBodyOutstanding)
    apiRequestsUnderWay--
    noteUnderWay(socket, -1)
    if (apiRequestsUnderWay === 0) whenQuiet?.()
  }

  function passToNext(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    target: Target,
    awaitsContinue: ServerResponse | undefined,
  ): void {
    if (!METHODS_FOR_NEXT.has(incoming.method ?? ''))
      return refuseAtDoor(incoming, outgoing, refuse(405, 'The method is not offered here.', { allow: 'GET, HEAD' }))
    if (incoming.headers.host === undefined) return refuseAtDoor(incoming, outgoing, refuse(400, 'The Host header is missing.'))
    awaitsContinue?.writeContinue()
    incoming.url = target.search === '' ? target.path : `${target.path}?${target.search}`
    const facts = { peerAddress: peerOf(incoming), isForwarded: isForwarded(incoming.headers), url: incoming.url }
    cleanForNext(incoming.headers, peers.isTrusted(incoming.socket.remoteAddress))
    if (isDraining) outgoing.setHeader('connection', 'close')
    runBehindDoor(facts, () => callNext(incoming, outgoing, fallback))
  }

  function peerOf(incoming: IncomingMessage): string | undefined {
    return peers.resolve(incoming.socket.remoteAddress, forwardedFor(incoming.headers))
  }

  function refuseAtDoor(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
    const path = readTarget(incoming.url ?? '')?.path ?? incoming.url ?? ''
    write(outgoing, errorResponse(refusal, path, runtime.clock), incoming.method === 'HEAD', true)
  }

  function listen({ host, port, reusePort = false }: { host: string; port: number; reusePort?: boolean }): Promise<number> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, reusePort, backlog: 1_024 }, () => {
        server.off('error', reject)
        resolve((server.address() as AddressInfo).port)
      })
    })
  }

  async function drain(graceMs = PAGE_GRACE_MS): Promise<void> {
    isDraining = true
    // Closing the server would cut quiet connections whose next request is on its way, or here but not read yet.
    await delay(LINGER_MS)
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    if (apiRequestsUnderWay > 0)
      await new Promise<void>((resolve) => {
        whenQuiet = resolve
      })
    // The answers are written; what is still open now are pages, some of which stream until somebody ends them.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    await closed
    clearInterval(sweep)
    clearTimeout(timer)
  }

  return { listen, drain }
}

function write(outgoing: ServerResponse, response: ApiResponse, isHead: boolean, isLast: boolean): void {
  const headers = [
    'Content-Type',
    response.contentType,
    'Content-Length',
    String(Buffer.byteLength(response.body)),
    'Cache-Control',
    'no-store',
  ]
  for (const name in response.headers) headers.push(name, response.headers[name] ?? '')
  if (isLast) headers.push('Connection', 'close')
  outgoing.writeHead(response.status, headers)
  outgoing.end(isHead ? undefined : response.body)
}
