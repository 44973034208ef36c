import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '#lib/time.ts'
import { errorBody, type Refusal, refuse } from '#server/http/api/errors.ts'
import type { BodyProblem } from '#server/http/request/api-request.ts'
import { breakConnection, connectionOf, guardSocket } from '../request/connection.ts'

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
  writeRaw(stream, refuse(405, 'The method CONNECT is not allowed.'), incoming.url ?? '', clock)
}

function faultOf({ code = '' }: ParserError): Fault | undefined {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { refusal: refuse(431, 'The head of the request is too large: at most 16384 bytes.'), body: 'malformed' }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { refusal: refuse(413, 'The chunk extensions are too large.'), body: 'too_large' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { refusal: refuse(408, 'The request did not arrive in time.'), body: 'too_slow' }
    default:
      return code.startsWith('HPE_') ? { refusal: refuse(400, 'The request is not valid HTTP.'), body: 'malformed' } : undefined
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
