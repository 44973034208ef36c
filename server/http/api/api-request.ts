import type { Result } from '#lib/result.ts'
import type { BodyOwner } from '#server/http/door/body-budget.ts'

/**
 * Why a body could not be had: over its limit, slower than allowed, not sent as HTTP wants it, no room for it beside the bodies that are
 * in progress, or the peer went away.
 */
export type BodyProblem = 'too_large' | 'too_slow' | 'malformed' | 'no_room' | 'aborted'

/**
 * One request, free of any framework: the front door and the Next mount both make these.
 * `path` is undecoded and without the query; `search` is the undecoded query without the question mark.
 */
export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly search: string
  /** The caller's address, undefined where it cannot be known. */
  readonly peerAddress: string | undefined
  /** Whether the request came with the marks of a proxy, trusted or not. */
  readonly isForwarded: boolean
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined
  /** All headers by their lower-case names, for checking a signature. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Reads the body, at most `bytesMax` of it, on the account of `owner`. Called once, and only after the caller is known. */
  readBody(bytesMax: number, owner: BodyOwner): Promise<Result<Uint8Array, BodyProblem>>
}
