import type { Dispatcher } from 'undici'
import { type ConnectDependencies, type Phase, RefusedTargetError } from './connect-target.ts'
import { type Connection, type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import { NameLookupError } from './resolve-host.ts'

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
}

export const NOTHING_ANSWERED = { firstByteMs: null, responseStart: null } as const

export type Sender = {
  /** Makes one attempt. Never rejects. Resolves within the deadline, plus the delay of the event loop. */
  send(url: string, headers: Record<string, string>, body: string): Promise<SendResult>
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

function attempt(pool: ConnectionPool, deadlineMs: number, url: URL, headers: Record<string, string>, body: string): Promise<SendResult> {
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
