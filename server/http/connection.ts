import type { Duplex } from 'node:stream'
import type { BodyProblem } from './api-request.ts'

/** What is known of a connection besides what node keeps. */
export type Connection = {
  /** Requests that were received and whose answers are not written yet. */
  answersDue: number
  /** The HTTP parser has stopped at a fault: nothing more can be read, and the connection closes after the answers that are due. */
  isBroken: boolean
  /** An answer that closes the connection is decided: whatever the client sent behind that request is not carried out. */
  isClosing: boolean
  /** Requests that were received so far. */
  requests: number
  /** Ends the reading of the body that is arriving. */
  failBody: ((problem: BodyProblem) => void) | undefined
}

const CONNECTIONS = new WeakMap<Duplex, Connection>()

/**
 * Gives a raw socket the error listener that keeps a reset from ending the process. Must run before anything else sees the socket: node
 * takes its own listener away before it hands a socket over (CONNECT, Upgrade). The error itself needs no action: node closes the socket,
 * and whoever reads from it or writes to it is told by `close`.
 */
export function guardSocket(socket: Duplex): void {
  socket.on('error', () => undefined)
}

/** The state of a connection, made when it is first asked for. */
export function connectionOf(socket: Duplex): Connection {
  let connection = CONNECTIONS.get(socket)
  if (!connection) {
    connection = { answersDue: 0, isBroken: false, isClosing: false, requests: 0, failBody: undefined }
    CONNECTIONS.set(socket, connection)
  }
  return connection
}

/** Notes that the parser stopped: the body that was arriving will not be complete. */
export function breakConnection(connection: Connection, problem: BodyProblem): void {
  connection.isBroken = true
  connection.failBody?.(problem)
}
