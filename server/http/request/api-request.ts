import type { Result } from '#lib/result.ts'
import type { BodyOwner } from './body-budget.ts'

/**
 * Why a body could not be read: above its limit, slower than allowed, not valid HTTP, the budget of all bodies is used up, or the
 * peer disconnected.
 */
export type BodyProblem = 'too_large' | 'too_slow' | 'malformed' | 'no_room' | 'aborted'

/**
 * One request, independent of any framework: the front door and the Next mount both create it.
 * `path` is undecoded and without the query; `search` is the undecoded query without the question mark.
 */
export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly search: string
  /** The caller's address; undefined if it is unknown. */
  readonly peerAddress: string | undefined
  /** Whether the request has the headers of a proxy, trusted or not. */
  readonly isForwarded: boolean
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined
  /** All headers by their lower-case names, for checking a signature. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Reads the body, at most `bytesMax` bytes, and counts it on the budget of `owner`. Called once, after the caller is known. */
  readBody(bytesMax: number, owner: BodyOwner): Promise<Result<Uint8Array, BodyProblem>>
}

/** One response. `headers` are those other than Content-Type, Content-Length and Cache-Control. */
export type ApiResponse = {
  readonly status: number
  /** A text that many responses share is a Buffer, because Node keeps a copy of a string for every response that waits to be sent. */
  readonly body: string | Buffer<ArrayBuffer>
  readonly contentType: string
  /** By default nothing is stored. */
  readonly cacheControl?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json'

/** Returns a 200 whose body is already JSON text. */
export function jsonResponse(body: string | Buffer<ArrayBuffer>): ApiResponse {
  return { status: 200, body, contentType: JSON_TYPE }
}
