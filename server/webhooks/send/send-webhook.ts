import { Client, type Dispatcher } from 'undici'
import {
  type ConnectDependencies,
  type ConnectionProgress,
  createAddressGuard,
  createConnector,
  createHostResolver,
  LOOPBACK_NETWORKS,
  NameLookupError,
  type Phase,
  RefusedTargetError,
} from './connect-target.ts'

/**
 * The outcome of one attempt. `bad_status`: any answer but 200; `protocol_error`: an answer that is not HTTP; `interrupted`: the service
 * stopped during the attempt (only the database writes that one).
 */
export type AttemptOutcome =
  | 'delivered'
  | 'bad_status'
  | 'redirect'
  | `timeout_${Phase}`
  | 'dns_error'
  | 'refused_target'
  | 'invalid_url'
  | 'connection_refused'
  | 'connection_error'
  | 'tls_error'
  | 'protocol_error'
  | 'interrupted'

export type SendResult = {
  outcome: AttemptOutcome
  httpStatus: number | null
  detail: string | null
  durationMs: number
  /** From the beginning of the attempt until the status came; null if none did. */
  firstByteMs: number | null
  /** The start of the answer's body, as text that can be stored and shown; null if there was none. */
  responseStart: string | null
  /** The answer's `Retry-After`, as it was written. */
  retryAfter: string | null
}

export const NOTHING_ANSWERED = { firstByteMs: null, responseStart: null, retryAfter: null } as const

type Body = string | Uint8Array

export type Sender = {
  /** Makes one attempt. Never rejects. Resolves within the deadline, plus the delay of the event loop. */
  send(url: string, headers: Record<string, string>, body: Body): Promise<SendResult>
  close(): void
}

export type SenderOptions = ConnectDependencies & { deadlineMs: number; idleConnectionsMax: number }

const BODY_BYTES_MAX = 64 * 1024
const DETAIL_LENGTH_MAX = 500
/** Of a body this much is kept, for the people who look for a mistake in their receiver. */
const KEPT_BYTES = 512
/** How long the body of a failure is waited for: only its beginning is of interest. */
const FAILURE_BODY_MS = 250
/** Interim answers (1xx) of one attempt; who sends more is not about to answer. */
const INTERIM_MAX = 100
const USER_AGENT = 'Countersign-Webhooks/1.0'

/**
 * Sends webhooks. One deadline covers name look-up, connection, TLS, headers and body. Success
 * is exactly status 200. Redirects are not followed, nothing is decompressed, and of the body at most 64 KB are read:
 * a longer one counts as read. Of the answer the status, the address of a redirect and the first 512 bytes of the body are kept.
 */
export function createSender(options: SenderOptions): Sender {
  const pool = createConnectionPool(options, options.idleConnectionsMax)
  return {
    send(url, headers, body) {
      const parsed = URL.canParse(url) ? new URL(url) : undefined
      if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') || parsed.port === '0') {
        return Promise.resolve({
          outcome: 'invalid_url',
          httpStatus: null,
          detail: 'The webhook address is not an http or https URL.',
          durationMs: 0,
          ...NOTHING_ANSWERED,
        })
      }
      return attempt(pool, options.deadlineMs, parsed, headers, body)
    },
    close: () => pool.close(),
  }
}

function attempt(pool: ConnectionPool, deadlineMs: number, url: URL, headers: Record<string, string>, body: Body): Promise<SendResult> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const connection = pool.acquire(url.origin)
    let isSettled = false

    const settle = (outcome: AttemptOutcome, httpStatus: number | null, detail: string | null, isReusable: boolean): void => {
      if (isSettled) return
      isSettled = true
      clearTimeout(deadline)
      // Reused only after the client is done with this request, which it is once the handler has returned.
      if (isReusable) queueMicrotask(() => pool.release(connection))
      else pool.discard(connection)
      resolve({
        outcome,
        httpStatus,
        detail: detail === null ? null : storableDetail(detail),
        durationMs: Math.round(performance.now() - startedAt),
        firstByteMs: handler.answeredAtMs === null ? null : Math.round(handler.answeredAtMs - startedAt),
        responseStart: handler.kept.length === 0 ? null : safeText(Buffer.concat(handler.kept)),
        retryAfter: handler.retryAfter,
      })
    }

    const deadline = setTimeout(() => {
      if (handler.conclude()) return
      const { phase } = connection.progress
      settle(`timeout_${phase}`, handler.httpStatus, `No complete answer within ${deadlineMs / 1000} s; ${WAITING_FOR[phase]}.`, false)
    }, deadlineMs)
    const handler = createHandler(connection, settle)
    try {
      connection.client.dispatch({ path: url.pathname + url.search, method: 'POST', headers: requestHeaders(url, headers), body }, handler)
    } catch (error) {
      settle('invalid_url', null, messageOf(error), false)
    }
  })
}

const WAITING_FOR: Record<Phase, string> = {
  dns: 'the host name was not resolved',
  connect: 'no connection was made',
  tls: 'the TLS handshake did not end',
  headers: 'the request was sent and no status came back',
  body: 'the status came, the body did not end',
}

type Settle = (outcome: AttemptOutcome, httpStatus: number | null, detail: string | null, isReusable: boolean) => void

type Handler = Dispatcher.DispatchHandler & {
  httpStatus: number | null
  answeredAtMs: number | null
  retryAfter: string | null
  /** The beginning of the body. */
  kept: Buffer[]
  /** Ends the attempt if its outcome is already certain; false if it is not. */
  conclude(): boolean
}

function createHandler(connection: Connection, settle: Settle): Handler {
  let bodyBytes = 0
  let interim = 0
  /** Set once a status other than 200 came: what is still read of the body changes nothing about it. */
  let failure: { outcome: AttemptOutcome; status: number; detail: string } | undefined
  let timer: NodeJS.Timeout | undefined
  const fail = (outcome: AttemptOutcome, status: number, detail: string) => {
    failure = { outcome, status, detail }
    timer = setTimeout(conclude, FAILURE_BODY_MS)
  }
  function conclude(): boolean {
    clearTimeout(timer)
    if (failure) settle(failure.outcome, failure.status, failure.detail, false)
    return failure !== undefined
  }
  return {
    httpStatus: null,
    answeredAtMs: null,
    retryAfter: null,
    kept: [],
    conclude,
    onRequestStart() {
      connection.progress.phase = 'headers'
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) {
        interim++
        if (interim > INTERIM_MAX)
          settle('protocol_error', null, `Answered ${INTERIM_MAX} times with an interim status (${status}).`, false)
        return
      }
      this.httpStatus = status
      this.answeredAtMs = performance.now()
      const retryAfter = headers['retry-after']
      this.retryAfter = typeof retryAfter === 'string' ? retryAfter : null
      connection.progress.phase = 'body'
      if (status >= 300 && status < 400) {
        fail('redirect', status, `Answered ${status}${redirectTarget(headers['location'])}; redirects are not followed.`)
      } else if (status !== 200) {
        fail('bad_status', status, `Answered ${status}; only 200 counts as received.`)
      }
    },
    onResponseData(_controller, chunk) {
      // A copy: the client reuses the memory of the chunk.
      if (bodyBytes < KEPT_BYTES) this.kept.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - bodyBytes)))
      bodyBytes += chunk.length
      if (failure && bodyBytes >= KEPT_BYTES) conclude()
      else if (bodyBytes > BODY_BYTES_MAX) settle('delivered', 200, 'The answer was longer than 64 KB; the rest was not read.', false)
    },
    onResponseEnd() {
      if (!conclude()) settle('delivered', 200, null, true)
    },
    onResponseError(_controller, error) {
      if (!conclude()) settle(outcomeOf(error, connection.progress.phase), this.httpStatus, messageOf(error), false)
    },
  }
}

/** User name and password in the address become what they mean in HTTP. */
function requestHeaders(url: URL, headers: Record<string, string>): Record<string, string> {
  const all: Record<string, string> = { 'content-type': 'application/json', accept: '*/*', 'user-agent': USER_AGENT, ...headers }
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodePart(url.username)}:${decodePart(url.password)}`
    all['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`
  }
  return all
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A partner chose this text: anything that is not a percent escape is sent as it is.
    return text
  }
}

function redirectTarget(location: string | string[] | undefined): string {
  const text = Array.isArray(location) ? location[0] : location
  if (text === undefined || !URL.canParse(text)) return ''
  const { origin, pathname } = new URL(text)
  return ` and pointed to ${origin}${pathname}`.slice(0, 300)
}

function outcomeOf(error: Error, phase: Phase): AttemptOutcome {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (error instanceof RefusedTargetError) return 'refused_target'
  if (error instanceof NameLookupError) return 'dns_error'
  if (code === 'ECONNREFUSED') return 'connection_refused'
  if (phase === 'tls') return 'tls_error'
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') return 'protocol_error'
  return 'connection_error'
}

/**
 * The receiver's bytes as text: anything that is not text becomes the replacement character, so that nothing in it can act on a screen or a
 * log.
 */
function safeText(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replaceAll(/[^\P{C}\n\t]/gu, '\uFFFD')
    .slice(0, KEPT_BYTES)
}

/** Parts of it are the receiver's text (the names in a certificate): without NUL, well-formed and cut, so that PostgreSQL can store it. */
function storableDetail(text: string): string {
  return text.slice(0, DETAIL_LENGTH_MAX).toWellFormed().replaceAll('\0', '\uFFFD')
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown error'
  // Several addresses were tried: the message of the whole is empty.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error.message
}

/** One undici client, that is at most one socket, and how far its connection is. */
type Connection = { origin: string; client: Client; progress: ConnectionProgress; idleSinceMs: number }

type ConnectionPool = {
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
function createConnectionPool(dependencies: ConnectDependencies, idleMax: number): ConnectionPool {
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

type GuardedSenderOptions = {
  /** The sandbox: receivers on this machine. */
  allowsPrivateTargets: boolean
  deadlineMs?: number
  idleConnectionsMax: number
}

export type GuardedSenders = {
  /** Returns what sends to public addresses and to these networks (CIDR notation), and nowhere else. */
  to(allowedNetworks: readonly string[]): Sender
  close(): void
}

/**
 * Makes the senders of one process: one for each set of networks that some application was granted. Connections are kept inside a
 * sender, so that no application is served by a connection that only another one may open.
 */
export function createGuardedSenders({
  allowsPrivateTargets,
  deadlineMs = 5_000,
  idleConnectionsMax,
}: GuardedSenderOptions): GuardedSenders {
  const always = allowsPrivateTargets ? LOOPBACK_NETWORKS : []
  const resolveHost = createHostResolver()
  const senders = new Map<string, Sender>()
  return {
    to(allowedNetworks) {
      const key = allowedNetworks.join(',')
      const known = senders.get(key)
      if (known) return known
      const mayConnectTo = createAddressGuard([...always, ...allowedNetworks])
      const sender = createSender({ resolveHost, mayConnectTo, deadlineMs, idleConnectionsMax })
      senders.set(key, sender)
      return sender
    },
    close() {
      for (const sender of senders.values()) sender.close()
    },
  }
}
