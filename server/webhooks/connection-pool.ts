import { Client } from 'undici'
import { type ConnectDependencies, type ConnectionProgress, createConnector } from './connect-target.ts'

/** One undici client, that is at most one socket, and how far its connection is. */
export type Connection = { origin: string; client: Client; progress: ConnectionProgress; idleSinceMs: number }

export type ConnectionPool = {
  acquire(origin: string): Connection
  /** Returns a connection to the pool. Only after an answer that was read to its end. */
  release(connection: Connection): void
  /** Closes a connection immediately, even while it is being made. */
  discard(connection: Connection): void
  close(): void
}

/**
 * For receivers that state nothing, shorter than what servers in use grant (Gunicorn 2 s, Node and Apache 5 s): a request must not meet a
 * receiver that is just closing, because it would not be known whether it was read.
 */
const KEEP_ALIVE_MS = 900
/** A receiver that states in `Keep-Alive` how long it keeps a connection is believed, less this. */
const KEEP_ALIVE_MARGIN_MS = 1_000
const IDLE_KEPT_MS = 10_000
const CLIENT_OPTIONS = {
  pipelining: 1,
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: IDLE_KEPT_MS,
  keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
}

/**
 * Keeps connections per origin, each in use by one request at a time. A pool of our own rather than undici's Agent: a
 * request knows its connection, so a timeout can name what it was waiting for and end the connection attempt itself.
 * At most `idleMax` idle ones are kept; the longest idle goes first.
 */
export function createConnectionPool(dependencies: ConnectDependencies, idleMax: number): ConnectionPool {
  const idleByOrigin = new Map<string, Connection[]>()
  // In order of last use.
  const idle = new Set<Connection>()

  function forget(connection: Connection): void {
    if (!idle.delete(connection)) return
    const siblings = idleByOrigin.get(connection.origin)
    if (!siblings) return
    siblings.splice(siblings.indexOf(connection), 1)
    if (siblings.length === 0) idleByOrigin.delete(connection.origin)
  }

  function discard(connection: Connection): void {
    forget(connection)
    connection.progress.isAborted = true
    connection.progress.socket?.destroy()
    // biome-ignore lint/plugin/no-silent-error: it rejects what the client still holds, and that was answered already.
    connection.client.destroy().catch(() => undefined)
  }

  const sweeper = setInterval(() => {
    const before = performance.now() - IDLE_KEPT_MS
    for (const connection of idle) {
      if (connection.idleSinceMs > before) return
      discard(connection)
    }
  }, IDLE_KEPT_MS / 2).unref()

  return {
    acquire(origin) {
      const known = idleByOrigin.get(origin)?.at(-1)
      if (known) {
        forget(known)
        return known
      }
      const progress: ConnectionProgress = { phase: 'dns', socket: undefined, isAborted: false }
      const client = new Client(origin, { ...CLIENT_OPTIONS, connect: createConnector(dependencies, progress) })
      return { origin, client, progress, idleSinceMs: 0 }
    },
    release(connection) {
      connection.idleSinceMs = performance.now()
      idle.add(connection)
      const siblings = idleByOrigin.get(connection.origin)
      if (siblings) siblings.push(connection)
      else idleByOrigin.set(connection.origin, [connection])
      const oldest = idle.values().next().value
      if (idle.size > idleMax && oldest) discard(oldest)
    },
    discard,
    close() {
      clearInterval(sweeper)
      for (const connection of [...idle]) discard(connection)
    },
  }
}
