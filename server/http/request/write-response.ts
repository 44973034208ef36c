import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiResponse } from './api-request.ts'
import { dropBody } from './body.ts'

/** How long, and how much of, an unwanted body is still taken off the wire after its answer. */
export type Linger = { timeMs: number; bytesMax: number }

export const LINGER: Linger = { timeMs: 2_000, bytesMax: 32 * 1024 * 1024 }

/** Each connection that is read from holds 64 KB: beyond this many, connections close right behind their answers. */
const LINGERING_MAX = 64
let lingering = 0

/** Writes a whole answer. `isLast` closes the connection behind it. */
export function writeResponse(outgoing: ServerResponse, response: ApiResponse, isLast: boolean): void {
  writeHead(outgoing, response, isLast)
  outgoing.end(outgoing.req.method === 'HEAD' ? undefined : response.body)
}

/**
 * Writes an answer while the body is still arriving, and closes the connection only when the client has stopped sending: a client that
 * is cut off while it sends loses the answer with the connection. Bytes that arrive meanwhile are dropped.
 */
export function writeEarlyResponse(incoming: IncomingMessage, outgoing: ServerResponse, response: ApiResponse, linger: Linger): void {
  writeHead(outgoing, response, true)
  if (outgoing.req.method === 'HEAD') outgoing.flushHeaders()
  else outgoing.write(response.body)
  if (lingering >= LINGERING_MAX) return void outgoing.end()
  lingering++
  let isOpen = true
  const timer = setTimeout(close, linger.timeMs)
  incoming.once('end', close)
  incoming.once('close', close)
  if (incoming.socket.readableEnded) return close()
  incoming.socket.once('end', close)
  dropBody(incoming, linger.bytesMax, close)

  function close(): void {
    if (!isOpen) return
    isOpen = false
    lingering--
    clearTimeout(timer)
    incoming.socket.off('end', close)
    outgoing.end()
  }
}

function writeHead(outgoing: ServerResponse, response: ApiResponse, isLast: boolean): void {
  const headers = [
    'Content-Type',
    response.contentType,
    'Content-Length',
    String(Buffer.byteLength(response.body)),
    'Cache-Control',
    response.cacheControl ?? 'no-store',
  ]
  for (const name in response.headers) headers.push(name, response.headers[name] ?? '')
  if (isLast) headers.push('Connection', 'close')
  outgoing.writeHead(response.status, headers)
}
