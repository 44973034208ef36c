import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { BodyProblem } from '#server/http/request/api-request.ts'

/** The state of a connection beyond what Node keeps. */
export type Connection = {
  /** Requests that were received so far. */
  requests: number
  /** How many of them wait for their answers to be written. */
  answersDue: number
  /** The answer to the request that arrived last. */
  newest: ServerResponse | undefined
  /** The HTTP parser has stopped at a fault: nothing more can be read, and the connection closes after the answers that are due. */
  isBroken: boolean
  /** An answer that closes the connection is decided: anything that the client sent after that request is not carried out. */
  isClosing: boolean
  /** Ends the reading of the body that is arriving. */
  failBody: ((problem: BodyProblem) => void) | undefined
}

/** The part of node's HTTP parser that its types do not know. */
type HttpSocket = Socket & { parser?: { onIncoming(incoming: IncomingMessage & { upgrade?: boolean }, shouldKeepAlive: boolean): number } }

const CONNECTIONS = new WeakMap<Duplex, Connection>()

/** The return value that tells node's parser to leave the rest of the packet alone: it takes the request for an upgrade. */
const STOP_PARSING = 2

/**
 * Adds the error listener to a raw socket that keeps a reset from ending the process. Must run before anything else uses the socket: Node
 * removes its own listener before it passes a socket on (CONNECT, Upgrade). The error itself needs no action: Node closes the socket, and
 * its readers and writers receive `close`.
 */
export function guardSocket(socket: Duplex): void {
  // biome-ignore lint/plugin/no-silent-error: expected from any client at any time.
  socket.on('error', () => undefined)
}

/**
 * Prepares a connection that was just accepted. Once its last answer is decided, nothing more of it is parsed: a packet of 64 KB holds more
 * than a thousand requests, and node would make the objects of them all, for as many connections as one client opens.
 */
export function openConnection(socket: HttpSocket): void {
  guardSocket(socket)
  const connection = connectionOf(socket)
  const { parser } = socket
  if (!parser) return
  const onIncoming = parser.onIncoming.bind(parser)
  parser.onIncoming = (incoming, shouldKeepAlive) => {
    if (!connection.isClosing) return onIncoming(incoming, shouldKeepAlive)
    incoming.upgrade = false
    socket.pause()
    return STOP_PARSING
  }
}

/** The state of a connection. */
export function connectionOf(socket: Duplex): Connection {
  let connection = CONNECTIONS.get(socket)
  if (!connection) {
    connection = { requests: 0, answersDue: 0, newest: undefined, isBroken: false, isClosing: false, failBody: undefined }
    CONNECTIONS.set(socket, connection)
  }
  return connection
}

/** Notes that the parser stopped: the body that was arriving will not be complete. */
export function breakConnection(connection: Connection, problem: BodyProblem): void {
  connection.isBroken = true
  connection.failBody?.(problem)
}

/** Notes that an answer is written; ends a connection whose parser stopped when the last one is. */
export function noteAnswered(connection: Connection, socket: Socket): void {
  connection.answersDue--
  if (connection.isBroken && !connection.isClosing && connection.answersDue === 0) socket.destroySoon()
}
