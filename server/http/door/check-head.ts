import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Refusal, refuse } from '#server/http/api/errors.ts'

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
export function checkHead(incoming: IncomingMessage, isFirst: boolean): Refusal | undefined {
  const isCurrent = incoming.httpVersion === '1.1'
  if (!isCurrent && incoming.httpVersion !== '1.0') return refuse(505, 'The request must use HTTP/1.1 or HTTP/1.0.')
  if ((isFirst || !isCurrent) && isRtsp(incoming.socket)) return refuse(505, 'The request must use HTTP/1.1 or HTTP/1.0, not RTSP.')
  const { rawHeaders } = incoming
  if (rawHeaders.length > HEADER_LINES_MAX * 2) return refuse(431, `The request must have at most ${HEADER_LINES_MAX} header lines.`)
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!SINGLE_LENGTHS.has(name.length)) continue
    const bit = SINGLE_HEADERS.get(name.toLowerCase()) ?? 0
    if ((seen & bit) !== 0) return refuse(400, `The header ${name} must not be repeated.`)
    seen |= bit
  }
  if ((seen & HOST) === 0) return isCurrent ? refuse(400, 'The header Host is missing.') : undefined
  const host = incoming.headers.host ?? ''
  return host === '' || HOST_VALUE.test(host) ? undefined : refuse(400, 'The header Host must be a host name and, where needed, a port.')
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
