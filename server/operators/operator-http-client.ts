import { type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { z } from 'zod'
import type { Exchange, SubmitOutcome, UnknownOutcome } from './connector.ts'

const ANSWER_BYTES_MAX = 64 * 1024
/** Of an answer that is a list, such as a page of a statement. */
export const LIST_BYTES_MAX = 1024 * 1024
/** For a connection: a free one of the pool, or a new one. Counted apart from the deadline of the operator. */
const CONNECT_LIMIT_MS = 4_000

const TOO_LATE = 'Not sent: the time for this submission is over'

export type OperatorRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  /** From the moment at which the request is written: headers and body of the answer. */
  timeoutMs: number
  /** On the clock of `performance.now()`: the request is not written at or after this time (`Submission.writeBeforeMs`). */
  writeBeforeMs?: number | undefined
  /** The longest answer that is read; 64 KB unless stated. */
  answerBytesMax?: number | undefined
}

/**
 * `answered`: a complete HTTP answer. `lost`: anything else; what the operator did is not known, unless the request
 * was never written (`wasWritten` false), because then the operator cannot have heard of it.
 */
export type CallOutcome =
  | { kind: 'answered'; httpStatus: number; body: string }
  | { kind: 'lost'; detail: string; httpStatus: number | null; wasWritten: boolean }

/** How the network is crossed: certificates and key in PEM. `caCertificate`: the only authorities that are trusted. */
export type OperatorTransport = {
  clientCertificate?: string | undefined
  clientKey?: string | undefined
  caCertificate?: string | undefined
  httpProxy?: string | undefined
}

export type OperatorHttpClient = { call(request: OperatorRequest): Promise<CallOutcome>; close(): Promise<void> }

/**
 * A kept-alive pool of connections to one operator. Each operator has its own, so that one that hangs cannot take the
 * connections of another. Never follows redirects and never decompresses; reads at most `answerBytesMax` of an answer. Never throws.
 */
export function createOperatorHttpClient(baseUrl: string, connectionsMax: number, transport: OperatorTransport): OperatorHttpClient {
  const base = new URL(baseUrl)
  const prefix = trimSlashes(base.pathname)
  const pool = createPool(base.origin, connectionsMax, transport)
  return {
    call: (request) => new Promise((resolve) => new Call(request, resolve).start(pool, base.origin, prefix)),
    close: () => pool.destroy(),
  }
}

function createPool(origin: string, connectionsMax: number, transport: OperatorTransport): Dispatcher {
  const { clientCertificate: cert, clientKey: key, caCertificate: ca, httpProxy } = transport
  const tls = { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) }
  const limits = {
    connections: connectionsMax,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    // The call has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: CONNECT_LIMIT_MS,
  }
  if (httpProxy === undefined) return new Pool(origin, { ...limits, connect: tls })
  // By CONNECT always: the proxy sees the host, and nothing of the calls.
  return new ProxyAgent({ ...limits, uri: httpProxy, proxyTunnel: true, ...(Object.keys(tls).length > 0 && { requestTls: tls }) })
}

/** One call. The time before its first byte is written is ours, not the operator's, and has a limit of its own. */
class Call implements Dispatcher.DispatchHandler {
  readonly #request: OperatorRequest
  readonly #resolve: (outcome: CallOutcome) => void
  #timer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #httpStatus: number | null = null
  #chunks: Buffer[] = []
  #bytes = 0
  #isOver = false

  constructor(request: OperatorRequest, resolve: (outcome: CallOutcome) => void) {
    this.#request = request
    this.#resolve = resolve
  }

  start(pool: Dispatcher, origin: string, prefix: string): void {
    const { method, path, headers, body, timeoutMs } = this.#request
    if (this.#isTooLate()) return this.#lose(TOO_LATE)
    const limitMs = Math.min(timeoutMs, CONNECT_LIMIT_MS)
    this.#timer = setTimeout(() => this.#lose(`No connection within ${limitMs} ms`), limitMs)
    try {
      pool.dispatch({ origin, method, path: prefix + path, headers, body: body ?? null }, this)
    } catch (error) {
      this.#lose(describe(error))
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It timed out while it waited for a connection: aborted here, it is never written.
    if (this.#isOver) return controller.abort(new Error('The call timed out'))
    if (this.#isTooLate()) {
      // The wait for a connection outlasted the lease: another process may make this call now.
      this.#lose(TOO_LATE)
      return controller.abort(new Error(TOO_LATE))
    }
    this.#controller = controller
    clearTimeout(this.#timer)
    const { timeoutMs } = this.#request
    this.#timer = setTimeout(() => this.#lose(`No answer within ${timeoutMs} ms`), timeoutMs)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    // 103 and its like come before the answer.
    if (statusCode >= 200) this.#httpStatus = statusCode
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    const { answerBytesMax = ANSWER_BYTES_MAX } = this.#request
    if (this.#bytes > answerBytesMax) this.#lose(`The answer is longer than ${answerBytesMax} bytes`)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#httpStatus === null) return this.#lose('The answer has no status')
    this.#finish({ kind: 'answered', httpStatus: this.#httpStatus, body: Buffer.concat(this.#chunks).toString('utf8') })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#lose(describe(error))
  }

  onRequestUpgrade(_controller: Dispatcher.DispatchController, _status: number, _headers: object, socket: NodeJS.WritableStream): void {
    // The request named no other protocol. The socket is ours now: without a listener its reset would end the process.
    // biome-ignore lint/plugin/no-silent-error: the comment above says why.
    socket.on('error', () => undefined)
    if ('destroy' in socket && typeof socket.destroy === 'function') socket.destroy()
    this.#lose('The operator switched to another protocol')
  }

  #isTooLate(): boolean {
    const { writeBeforeMs } = this.#request
    return writeBeforeMs !== undefined && performance.now() >= writeBeforeMs
  }

  #lose(detail: string): void {
    this.#finish({ kind: 'lost', detail, httpStatus: this.#httpStatus, wasWritten: this.#controller !== undefined })
    // Closes the connection: the rest is never read.
    this.#controller?.abort(new Error(detail))
  }

  #finish(outcome: CallOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#chunks = []
    this.#resolve(outcome)
  }
}

function trimSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code} ` : ''
  return `${code}${error.message}`.trim() || error.name
}

/** The part of a call that is stored in operator_attempts. */
export function exchangeOf(outcome: CallOutcome): Exchange {
  return outcome.kind === 'answered'
    ? { httpStatus: outcome.httpStatus, answer: outcome.body }
    : { httpStatus: outcome.httpStatus, answer: outcome.detail }
}

/** Returns the JSON of an answer; undefined if there is none, or if it does not fit. */
export function readAnswer<Value>(outcome: CallOutcome, schema: z.ZodType<Value>): Value | undefined {
  if (outcome.kind !== 'answered') return undefined
  try {
    return schema.safeParse(JSON.parse(outcome.body)).data
  } catch {
    // Not JSON: an operator's answer may be anything, and then counts as unreadable.
    return undefined
  }
}

/** Money may or may not have moved: nothing about the call proves an outcome. */
export function unknownOutcome(outcome: CallOutcome): UnknownOutcome {
  const detail = outcome.kind === 'lost' ? outcome.detail : `HTTP ${outcome.httpStatus} without a usable answer`
  return { kind: 'unknown', detail, exchange: exchangeOf(outcome) }
}

/** A submission without a usable answer: not sent if not one byte of it was written, otherwise unknown. */
export function notSentOrUnknown(outcome: CallOutcome): SubmitOutcome {
  if (outcome.kind === 'lost' && !outcome.wasWritten) return { kind: 'not_sent', detail: outcome.detail, exchange: exchangeOf(outcome) }
  return unknownOutcome(outcome)
}
