import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '#lib/time.ts'
import { errorBody, type Refusal, refuse } from './errors.ts'

/** What node's parser tells beside the code. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/** How long a client may take to read a refusal before the connection goes. */
const LINGER_MS = 1_000
const REQUEST_LINE = /^[A-Z]+ (\S+)/

// An HTTP parser stops at the first fault, so these connections cannot be used again.
const UNDER_WAY = new WeakMap<Socket, number>()

/** Notes that a connection has one more answer (1) or one fewer (-1) to wait for. */
export function noteUnderWay(socket: Socket, change: 1 | -1): void {
  UNDER_WAY.set(socket, (UNDER_WAY.get(socket) ?? 0) + change)
}

/**
 * Answers what is not HTTP, too large in its head, or too slow, with the five fields like every other error. While an
 * earlier request of the same connection is being answered nothing is written: it would be taken for that answer.
 */
export function answerClientError(error: ParserError, socket: Socket, clock: Clock): void {
  const refusal = refusalFor(error)
  if (!refusal || !socket.writable) {
    socket.destroy()
    return
  }
  if ((UNDER_WAY.get(socket) ?? 0) > 0) {
    if (refusal.status === 408) socket.destroy()
    return
  }
  writeRaw(socket, refusal, pathOf(error.rawPacket), clock)
}

/** CONNECT asks for a tunnel: there is none here. */
export function refuseConnect(incoming: IncomingMessage, socket: Socket, clock: Clock): void {
  writeRaw(socket, refuse(405, 'The method CONNECT is not offered here.'), incoming.url ?? '', clock)
}

function refusalFor(error: ParserError): Refusal | undefined {
  if (error.code === 'HPE_HEADER_OVERFLOW') return refuse(431, 'The head of the request is too large: at most 16384 bytes.')
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuse(413, 'The chunk extensions are too large.')
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse(408, 'The request did not arrive in time.')
  if (error.code?.startsWith('HPE_')) return refuse(400, 'The request is not valid HTTP.')
  return undefined
}

function pathOf(rawPacket: Buffer | undefined): string {
  const target = REQUEST_LINE.exec(rawPacket?.toString('latin1', 0, 4_096) ?? '')?.[1] ?? ''
  return target.split('?', 1)[0] ?? ''
}

function writeRaw(socket: Socket, refusal: Refusal, path: string, clock: Clock): void {
  const body = errorBody(refusal, path, clock)
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Error'}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
  // What the client still sends is taken and dropped: closing on it at once would destroy the answer on its way.
  socket.removeAllListeners('data')
  socket.on('data', () => undefined)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
