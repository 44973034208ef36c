import type { IncomingMessage, ServerResponse } from 'node:http'
import { runWithCallerAddress } from '#server/caller-address.ts'
import { errorResponse, type Refusal, refuse } from '#server/http/api/errors.ts'
import type { HttpRuntime } from '#server/http/api/http-runtime.ts'
import { handleApiRequest } from '#server/http/door/handle-api-request.ts'
import { findEndpoint, isApiPath } from '#server/http/door/routes.ts'
import type { ApiResponse } from '#server/http/request/api-response.ts'
import { BodyBudget } from '../request/body-budget.ts'
import { type Connection, connectionOf, noteAnswered } from '../request/connection.ts'
import { forwardedFor } from '../request/forwarded-headers.ts'
import { type Arrival, BODY_TIMEOUT_MS, NodeRequest } from '../request/node-request.ts'
import { createPeerResolver } from '../request/peer-address.ts'
import { hasTooManyParameters, isAmbiguousPath, readTarget } from '../request/target.ts'
import { LINGER, type Linger, writeEarlyResponse, writeResponse } from '../request/write-response.ts'
import { checkHead } from './check-head.ts'
import { PAGE_BODY_TIMEOUT_MS } from './page-body.ts'
import { passToNext } from './pass-to-next.ts'
import { refusedRequest, renderRefusal } from './refusal.ts'
import type { Fallback } from './refuse-before-next.ts'
import { createPageServer, type PageOptions } from './serve-page.ts'

export type ReceiverOptions = {
  runtime: HttpRuntime
  fallback: Fallback
  /** `next`: known API paths are answered by the route handlers, for hosts and tests of that mount. */
  apiMount: 'direct' | 'next'
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
  const { runtime, fallback, apiMount, budget = new BodyBudget(), linger = LINGER } = options
  const { bodyTimeoutMs = BODY_TIMEOUT_MS, pageBodyTimeoutMs = PAGE_BODY_TIMEOUT_MS } = options
  const peers = createPeerResolver(runtime.config.trustedProxies)
  const pages = createPageServer(fallback, { ...options.pages, onRefused: () => runtime.metrics.countRequest('refused', 503, 0) })
  let isDraining = false
  const apiRequests = createUnderWay()

  function receive(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void {
    const connection = connectionOf(incoming.socket)
    connection.newest = outgoing
    const target = readTarget(incoming.url ?? '')
    if (!target) return refuseAtDoor(incoming, outgoing, refuse(400, 'The request line must name a path.'))
    const refusal = checkHead(incoming, connection.requests++ === 0)
    if (refusal) return refuseAtDoor(incoming, outgoing, refusal)
    if (hasTooManyParameters(target.search)) return refuseAtDoor(incoming, outgoing, TOO_MANY_PARAMETERS)
    const peerAddress = peers.resolve(incoming.socket.remoteAddress, forwardedFor(incoming.headers))
    const arrival = { target, peerAddress, connection, budget, bodyTimeoutMs, awaitsContinue: awaitsContinue ? outgoing : undefined }
    connection.answersDue++
    const isKnown = findEndpoint(target.path) !== undefined
    if (connection.answersDue >= PIPELINE_MAX) connection.isClosing = true
    if (isKnown ? apiMount === 'direct' : isApiPath(target.path) || isAmbiguousPath(target.path)) {
      return void answerApi(incoming, outgoing, arrival)
    }
    if (isDraining || connection.isClosing) outgoing.setHeader('connection', 'close')
    passToNext(incoming, outgoing, arrival, {
      isApi: isKnown,
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
    refuseExpectation: (incoming, outgoing) => refuseAtDoor(incoming, outgoing, refuse(417, 'Expect may only be 100-continue.')),
    startDraining() {
      isDraining = true
    },
    whenApiQuiet: apiRequests.whenNone,
  }
}

/** Counts what is in progress. `whenNone` resolves as soon as nothing is. */
function createUnderWay(): { begin(): void; end(): void; whenNone(): Promise<void> } {
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

const TOO_MANY_PARAMETERS = refuse(400, 'The query string has more than 200 parameters.')

/** Answers to a body that is not read to its end. */
const CUTTING_OFF: ReadonlySet<number> = new Set([408, 413, 503])
