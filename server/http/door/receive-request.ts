import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '#lib/time/time.ts'
import { runWithCallerAddress } from '#server/caller-address.ts'
import type { HttpRuntime } from '../api/endpoint.ts'
import { errorBody, errorResponse, type Refusal, refuse } from '../api/errors.ts'
import type { ApiResponse, BodyProblem } from '../request/api-request.ts'
import { BodyBudget } from '../request/body-budget.ts'
import { breakConnection, type Connection, connectionOf, guardSocket, noteAnswered } from '../request/connection.ts'
import { type Arrival, BODY_TIMEOUT_MS, NodeRequest } from '../request/node-request.ts'
import { createPeerResolver, forwardedFor } from '../request/peer-address.ts'
import { hasTooManyParameters, isAmbiguousPath, readTarget } from '../request/target.ts'
import { LINGER, type Linger, writeEarlyResponse, writeResponse } from '../request/write-response.ts'
import { handleApiRequest } from './handle-api-request.ts'
import { PAGE_BODY_TIMEOUT_MS, passToNext } from './pages/pass-to-next.ts'
import type { Fallback } from './pages/refuse-before-next.ts'
import { createPageServer, type PageOptions } from './pages/serve-page.ts'
import { refusedRequest, renderRefusal } from './refusal.ts'
import { findEndpoint, isApiPath } from './routes.ts'

export type ReceiverOptions = {
  runtime: HttpRuntime
  fallback: Fallback
  budget?: BodyBudget
  bodyTimeoutMs?: number
  pageBodyTimeoutMs?: number
  linger?: Linger
  pages?: PageOptions
}

/** Takes the requests of one front door, decides who answers each, and knows how many of the API's are in progress. */
type Receiver = {
  receive(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void
  /** Answers an Expect that is not 100-continue. */
  refuseExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** From now on every answer is the last of its connection. */
  startDraining(): void
  /** Resolves when no request of the API is in progress. */
  whenApiQuiet(): Promise<void>
}

/**
 * How many requests of one connection may wait for their answers. The last of them closes the connection, and the client sends the rest
 * again. A client that pipelines more and reads nothing would fill the memory with answers.
 */
const PIPELINE_MAX = 16

export function createReceiver(options: ReceiverOptions): Receiver {
  const { runtime, fallback, budget = new BodyBudget(), linger = LINGER } = options
  const { bodyTimeoutMs = BODY_TIMEOUT_MS, pageBodyTimeoutMs = PAGE_BODY_TIMEOUT_MS } = options
  const peers = createPeerResolver(runtime.config.trustedProxies)
  const pages = createPageServer(fallback, { ...options.pages, onRefused: () => runtime.metrics.countRequest('refused', 503, 0) })
  let isDraining = false
  const apiRequests = createProgressCount()

  function receive(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void {
    const connection = connectionOf(incoming.socket)
    connection.newest = outgoing
    const target = readTarget(incoming.url ?? '')
    if (!target) return refuseAtDoor(incoming, outgoing, refuse(400, 'request_line_invalid', 'The request line must name a path.'))
    const refusal = checkHead(incoming, connection.requests++ === 0)
    if (refusal) return refuseAtDoor(incoming, outgoing, refusal)
    if (hasTooManyParameters(target.search)) return refuseAtDoor(incoming, outgoing, TOO_MANY_PARAMETERS)
    const peerAddress = peers.resolve(incoming.socket.remoteAddress, forwardedFor(incoming.headers))
    const arrival = { target, peerAddress, connection, budget, bodyTimeoutMs, awaitsContinue: awaitsContinue ? outgoing : undefined }
    connection.answersDue++
    if (connection.answersDue >= PIPELINE_MAX) connection.isClosing = true
    const isApi = findEndpoint(target.path) !== undefined || isApiPath(target.path) || isAmbiguousPath(target.path)
    if (isApi) return void answerApi(incoming, outgoing, arrival)
    if (isDraining || connection.isClosing) outgoing.setHeader('connection', 'close')
    passToNext(incoming, outgoing, arrival, {
      isFromTrustedProxy: peers.isTrusted(incoming.socket.remoteAddress),
      bodyTimeoutMs: pageBodyTimeoutMs,
      pages,
      refuse: (refused) => refuseAtDoor(incoming, outgoing, refused),
    })
  }

  async function answerApi(incoming: IncomingMessage, outgoing: ServerResponse, arrival: Arrival): Promise<void> {
    const { connection } = arrival
    apiRequests.begin()
    // Requests that a client pipelines behind this one are answered after it, so only the newest answer may close the connection.
    const mayClose = () => isDraining || connection.isBroken || connection.isClosing
    const request = new NodeRequest(incoming, arrival)
    const response = await runWithCallerAddress(arrival.peerAddress, () => handleApiRequest(runtime, request))
    const isCutOff = !incoming.complete && (connection.isBroken || CUTTING_OFF.has(response.status))
    if (isCutOff && !request.isBodyOutstanding) writeEarly(incoming, outgoing, response)
    else write(outgoing, response, connection, request.isBodyOutstanding || (mayClose() && connection.newest === outgoing))
    request.release()
    noteAnswered(connection, incoming.socket)
    apiRequests.end()
  }

  function refuseAtDoor(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
    const response = responseAtDoor(incoming, refusal, runtime.clock)
    runtime.metrics.countRequest('refused', refusal.status, 0)
    if (incoming.complete) write(outgoing, response, connectionOf(incoming.socket), true)
    else writeEarly(incoming, outgoing, response)
  }

  function writeEarly(incoming: IncomingMessage, outgoing: ServerResponse, response: ApiResponse): void {
    connectionOf(incoming.socket).isClosing = true
    writeEarlyResponse(incoming, outgoing, response, linger)
  }

  return {
    receive,
    refuseExpectation: (incoming, outgoing) =>
      refuseAtDoor(incoming, outgoing, refuse(417, 'expectation_unsupported', 'Expect may only be 100-continue.')),
    startDraining() {
      isDraining = true
    },
    whenApiQuiet: apiRequests.whenNone,
  }
}

/** Counts what is in progress. `whenNone` resolves as soon as nothing is. */
function createProgressCount(): { begin(): void; end(): void; whenNone(): Promise<void> } {
  let count = 0
  let resolveNone: (() => void) | undefined
  return {
    begin() {
      count++
    },
    end() {
      if (--count === 0) resolveNone?.()
    },
    whenNone: () =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            resolveNone = resolve
          }),
  }
}

function write(outgoing: ServerResponse, response: ApiResponse, connection: Connection, isLast: boolean): void {
  if (isLast) connection.isClosing = true
  writeResponse(outgoing, response, isLast)
}

/** Returns the refusal as JSON, or as a page where the path is one of a page. */
function responseAtDoor(incoming: IncomingMessage, refusal: Refusal, clock: HttpRuntime['clock']): ApiResponse {
  const path = readTarget(incoming.url ?? '')?.path ?? incoming.url ?? ''
  const isPage = path.startsWith('/') && !isApiPath(path) && !isAmbiguousPath(path)
  return isPage ? renderRefusal(refusal, refusedRequest(incoming)) : errorResponse(refusal, path, clock)
}

const TOO_MANY_PARAMETERS = refuse(400, 'too_many_parameters', 'The query string has more than 200 parameters.')

/** Answers to a body that is not read to its end. */
const CUTTING_OFF: ReadonlySet<number> = new Set([408, 413, 503])

/** The fields of a parser error of node besides the code. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

type Fault = { refusal: Refusal; body: BodyProblem }

/** How long a client may take to read a refusal before the connection goes. */
const LINGER_MS = 1_000
const REQUEST_LINE = /^[A-Z]+ (\S+)/

/**
 * Answers a request that is not HTTP, has too large a head, or is too slow, with the five fields like every other error. While a request of the same
 * connection waits for its answer nothing is written here: it would be taken for that answer. If the fault is in the body of that
 * request, its reading ends immediately, and its own answer says why.
 */
export function answerClientError(error: ParserError, socket: Socket, clock: Clock): void {
  const fault = faultOf(error)
  const connection = connectionOf(socket)
  if (!fault || !socket.writable) {
    socket.destroy()
    return
  }
  // The parser reports each further packet as the same fault.
  if (connection.isBroken) return
  breakConnection(connection, fault.body)
  if (connection.answersDue === 0) writeRaw(socket, fault.refusal, pathOf(error.rawPacket), clock)
}

/** CONNECT requests a tunnel, which is not supported. `stream` is the socket, or what node puts around it while a body arrives. */
export function refuseConnect(incoming: IncomingMessage, stream: Duplex, clock: Clock): void {
  guardSocket(stream)
  writeRaw(stream, refuse(405, 'method_not_allowed', 'The method CONNECT is not allowed.'), incoming.url ?? '', clock)
}

function faultOf({ code = '' }: ParserError): Fault | undefined {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { refusal: refuse(431, 'head_too_large', 'The head of the request is too large: at most 16384 bytes.'), body: 'malformed' }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { refusal: refuse(413, 'body_too_large', 'The chunk extensions are too large.'), body: 'too_large' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { refusal: refuse(408, 'request_too_slow', 'The request did not arrive in time.'), body: 'too_slow' }
    default:
      return code.startsWith('HPE_')
        ? { refusal: refuse(400, 'http_invalid', 'The request is not valid HTTP.'), body: 'malformed' }
        : undefined
  }
}

function pathOf(rawPacket: Buffer | undefined): string {
  const target = REQUEST_LINE.exec(rawPacket?.toString('latin1', 0, 4_096) ?? '')?.[1] ?? ''
  return target.split('?', 1)[0] ?? ''
}

function writeRaw(stream: Duplex, refusal: Refusal, path: string, clock: Clock): void {
  const body = errorBody(refusal, path, clock)
  stream.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Error'}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
  // The rest that the client sends is read and dropped: closing immediately would destroy the answer on its way.
  stream.removeAllListeners('data')
  stream.on('data', () => undefined)
  stream.resume()
  const timer = setTimeout(() => stream.destroy(), LINGER_MS)
  stream.once('close', () => clearTimeout(timer))
}

/** Node silently ignores lines beyond its own maximum, and a second credential among them. */
const HEADER_LINES_MAX = 200

/** Headers of which a request has at most one: with two, this service and a proxy in front could each believe another. */
const SINGLE_HEADERS: ReadonlyMap<string, number> = new Map(
  ['Host', 'Authorization', 'apiKey', 'apiId', 'Content-Type', 'Content-Encoding'].map((name, index) => [name.toLowerCase(), 1 << index]),
)
const HOST = 1
const SINGLE_LENGTHS: ReadonlySet<number> = new Set([...SINGLE_HEADERS.keys()].map((name) => name.length))

const HOST_VALUE = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const RTSP_LINE = /^\s*[A-Z]+ \S+ RTSP\//

/**
 * The refusal of a head that is not HTTP/1.1 (or 1.0) as its standard wants it; undefined for a good one. node's parser also takes
 * HTTP/0.9, HTTP/2.0 and RTSP for HTTP, and keeps the first of two equal headers.
 */
function checkHead(incoming: IncomingMessage, isFirst: boolean): Refusal | undefined {
  const isCurrent = incoming.httpVersion === '1.1'
  if (!isCurrent && incoming.httpVersion !== '1.0')
    return refuse(505, 'http_version_unsupported', 'The request must use HTTP/1.1 or HTTP/1.0.')
  if ((isFirst || !isCurrent) && isRtsp(incoming.socket))
    return refuse(505, 'http_version_unsupported', 'The request must use HTTP/1.1 or HTTP/1.0, not RTSP.')
  const { rawHeaders } = incoming
  if (rawHeaders.length > HEADER_LINES_MAX * 2)
    return refuse(431, 'head_too_large', `The request must have at most ${HEADER_LINES_MAX} header lines.`)
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!SINGLE_LENGTHS.has(name.length)) continue
    const bit = SINGLE_HEADERS.get(name.toLowerCase()) ?? 0
    if ((seen & bit) !== 0) return refuse(400, 'header_repeated', `The header ${name} must not be repeated.`)
    seen |= bit
  }
  if ((seen & HOST) === 0) return isCurrent ? refuse(400, 'host_invalid', 'The header Host is missing.') : undefined
  const host = incoming.headers.host ?? ''
  return host === '' || HOST_VALUE.test(host)
    ? undefined
    : refuse(400, 'host_invalid', 'The header Host must be a host name and, where needed, a port.')
}

/**
 * Node reports RTSP/1.0 as version 1.0, and does not say which protocol it was: only the bytes that its parser is reading show it.
 * They are copied for the first request of a connection and for every request of version 1.0.
 */
function isRtsp(socket: Socket): boolean {
  const { parser } = socket as Socket & { parser?: { getCurrentBuffer?(): Buffer | undefined } }
  const bytes = parser?.getCurrentBuffer?.()
  return bytes?.includes(' RTSP/') === true && RTSP_LINE.test(bytes.toString('latin1'))
}
