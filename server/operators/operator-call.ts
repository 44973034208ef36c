import { Pool } from 'undici'
import type { Exchange } from './connector.ts'

const ANSWER_BYTES_MAX = 64 * 1024

export type OperatorRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  /** For everything: connection, request, headers and body of the answer. */
  timeoutMs: number
}

/** `answered`: a whole HTTP answer is there. `lost`: anything else; what the operator did is not known. */
export type CallOutcome =
  | { kind: 'answered'; httpStatus: number; body: string }
  | { kind: 'lost'; detail: string; httpStatus: number | null }

export type OperatorLine = { call(request: OperatorRequest): Promise<CallOutcome>; close(): Promise<void> }

/**
 * A kept-alive pool of connections to one operator. Each operator has its own, so that one that hangs cannot take the
 * connections of another. Never follows redirects and never decompresses; reads at most 64 KB of an answer. Never throws.
 */
export function openOperatorLine(baseUrl: string, connectionsMax: number): OperatorLine {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const pool = new Pool(base.origin, {
    connections: connectionsMax,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    // The deadline of the call covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: 10_000,
  })
  return {
    call: (request) => callOnce(pool, prefix, request),
    close: () => pool.destroy(),
  }
}

async function callOnce(pool: Pool, prefix: string, request: OperatorRequest): Promise<CallOutcome> {
  const deadline = AbortSignal.timeout(request.timeoutMs)
  let httpStatus: number | null = null
  try {
    const answer = await pool.request({
      method: request.method,
      path: prefix + request.path,
      headers: request.headers,
      body: request.body,
      signal: deadline,
    })
    httpStatus = answer.statusCode
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // Leaving the loop closes the connection: the rest is never read.
      if (bytes > ANSWER_BYTES_MAX) return { kind: 'lost', detail: `The answer is longer than ${ANSWER_BYTES_MAX} bytes`, httpStatus }
      chunks.push(chunk)
    }
    return { kind: 'answered', httpStatus, body: Buffer.concat(chunks).toString('utf8') }
  } catch (error) {
    const detail = deadline.aborted ? `No answer within ${request.timeoutMs} ms` : describe(error)
    return { kind: 'lost', detail, httpStatus }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code} ` : ''
  return `${code}${error.message}`.trim() || error.name
}

/** What of a call goes into the record of attempts. */
export function exchangeOf(outcome: CallOutcome): Exchange {
  return outcome.kind === 'answered'
    ? { httpStatus: outcome.httpStatus, answer: outcome.body }
    : { httpStatus: outcome.httpStatus, answer: outcome.detail }
}
