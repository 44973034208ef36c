import { IncomingMessage, type ServerResponse } from 'node:http'
import { BATCH_FILE_BYTES_MAX } from '#lib/batches/file-problem.ts'
import { err, type Result } from '#lib/result.ts'
import { PIECE_BYTES } from '#lib/uploads.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { addressOwner, refuseBody } from '#server/http/api/read-json-body.ts'
import type { BodyProblem } from '#server/http/request/api-request.ts'
import { announcesBody, readBody } from '#server/http/request/body.ts'
import type { BodyHold } from '#server/http/request/body-budget.ts'
import { type Connection, noteAnswered } from '#server/http/request/connection.ts'
import type { Arrival } from '#server/http/request/node-request.ts'
import { cleanForNext, isForwarded } from '#server/http/request/peer-address.ts'
import type { RequestFacts } from '#server/http/request/request-facts.ts'
import type { PageServer } from './serve-page.ts'

type Passage = {
  isFromTrustedProxy: boolean
  bodyTimeoutMs: number
  pages: PageServer
  refuse(refusal: Refusal): void
}

// The methods that a Request of the fetch standard can carry; the others stop here.
const METHODS_FOR_NEXT = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Hands a request to Next, cleaned of headers that only Next or a trusted proxy may write. The body of a page's request is read here, within
 * the limits of its path and of the process, because Next would buffer it at any size.
 */
export function passToNext(incoming: IncomingMessage, outgoing: ServerResponse, arrival: Arrival, passage: Passage): void {
  const { target, peerAddress, connection, budget } = arrival
  noteAnswer(incoming, outgoing, connection)
  if (!METHODS_FOR_NEXT.has(incoming.method ?? ''))
    return passage.refuse(refuse(405, 'method_not_allowed', 'The method is not allowed.', { allow: 'GET, HEAD' }))
  // Next makes addresses of it, also for HTTP/1.0.
  if (!incoming.headers.host) return passage.refuse(refuse(400, 'host_invalid', 'The header Host is missing.'))
  incoming.url = target.search === '' ? target.path : `${target.path}?${target.search}`
  const facts: RequestFacts = { peerAddress, isForwarded: isForwarded(incoming.headers), url: incoming.url, budget }
  cleanForNext(incoming.headers, passage.isFromTrustedProxy)
  if (!announcesBody(incoming)) {
    arrival.awaitsContinue?.writeContinue()
    return passage.pages.serve(incoming, outgoing, { facts, body: undefined })
  }
  const bytesMax = pageBodyMax(target.path, incoming)
  const hold = budget.open(addressOwner({ peerAddress }))
  outgoing.once('close', () => hold.release())
  void readPageBody(incoming, arrival, { bytesMax, timeoutMs: passage.bodyTimeoutMs, hold }).then((body) =>
    body.ok
      ? passage.pages.serve(withBody(incoming, body.value), outgoing, { facts, body: body.value })
      : passage.refuse(refuseBody(body.error, bytesMax)),
  )
}

type Reading = { bytesMax: number; timeoutMs: number; hold: BodyHold }

function readPageBody(incoming: IncomingMessage, arrival: Arrival, reading: Reading): Promise<Result<Uint8Array, BodyProblem>> {
  if (Number(incoming.headers['content-length'] ?? 0) > reading.bytesMax) return Promise.resolve(err('too_large'))
  arrival.awaitsContinue?.writeContinue()
  return readBody(incoming, { ...reading, connection: arrival.connection })
}

/** Follows an answer that Next writes until it is written, or its client is gone. */
function noteAnswer(incoming: IncomingMessage, outgoing: ServerResponse, connection: Connection): void {
  const { socket } = incoming
  // Next may write to an answer that a reset or a refusal has ended; without a listener that would end the process.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  outgoing.on('error', () => undefined)
  // biome-ignore lint/plugin/no-silent-error: the client is gone, and nobody is left to answer.
  incoming.on('error', () => undefined)
  // A client that leaves a live page closes the connection. If it closes only the sending half, the stream would continue.
  const isStream = incoming.headers.accept?.includes('text/event-stream') === true
  const leave = () => void outgoing.destroy()
  if (isStream) socket.once('end', leave)
  outgoing.once('close', () => {
    socket.off('end', leave)
    noteAnswered(connection, socket)
  })
}

/**
 * Forms: sign-in names, passwords and codes, a theme, a language. Also as multipart, which is how React's client sends them: looking for
 * the boundaries of a body that is made for it takes 60 ms per megabyte.
 */
const FORM_BYTES_MAX = 64 * 1024

/** The largest body of a server action with arguments; `next.config.ts` names the same limit. */
const ACTION_BYTES_MAX = 1024 * 1024

/** The paths for lists of payments and of beneficiaries, as they are: `app/api/back-office/[application]/batches` and `…/beneficiaries/import`. */
const UPLOAD = /^\/api\/back-office\/[^/]+\/(?:batches|beneficiaries\/import)$/

/** The paths for pieces of files, such as `app/api/back-office/[application]/statements/[fileId]/pieces`. */
const PIECE = /^\/api\/back-office\/[^/]+\/(?:statements|attachments)\/[^/]+\/pieces$/

/** How long the body of a page's request may take: people are on slower links than programs. */
export const PAGE_BODY_TIMEOUT_MS = 30_000

/**
 * The largest body that goes on to the pages, in bytes. Server actions are known by their header; none is posted
 * below /api, where only such lists and pieces of other files are larger than a form.
 */
function pageBodyMax(path: string, { method, headers }: IncomingMessage): number {
  // A little more than the reader accepts, so that it is the reader that says what to do.
  if (method === 'POST' && UPLOAD.test(path)) return BATCH_FILE_BYTES_MAX + 64 * 1024
  if (method === 'POST' && PIECE.test(path)) return PIECE_BYTES
  if (method !== 'POST' || path === '/api' || path.startsWith('/api/')) return FORM_BYTES_MAX
  const isForm = (headers['content-type'] ?? '').toLowerCase().startsWith('multipart/')
  return headers['next-action'] !== undefined && !isForm ? ACTION_BYTES_MAX : FORM_BYTES_MAX
}

/**
 * The same request with its body already in memory. The pages buffer every body that they are sent, so they are sent none that has not
 * been measured here.
 */
function withBody(incoming: IncomingMessage, body: Uint8Array): IncomingMessage {
  const copy = new IncomingMessage(incoming.socket)
  copy.method = incoming.method
  copy.url = incoming.url
  copy.httpVersion = incoming.httpVersion
  copy.httpVersionMajor = incoming.httpVersionMajor
  copy.httpVersionMinor = incoming.httpVersionMinor
  copy.rawHeaders = incoming.rawHeaders
  copy.headers = incoming.headers
  copy.complete = true
  if (body.length > 0) copy.push(body)
  copy.push(null)
  return copy
}
