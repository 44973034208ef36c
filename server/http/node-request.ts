import type { IncomingMessage, ServerResponse } from 'node:http'
import { err, ok, type Result } from '#lib/result.ts'
import type { ApiRequest, BodyProblem } from './api-request.ts'
import { isForwarded } from './forwarded-headers.ts'

export type BodyLimits = {
  /** How long a body may take from its first byte that we ask for. */
  timeoutMs: number
  /** What is over the limit is still taken off the wire for so long and so much: a client that is cut off while it sends
   * never reads the answer. */
  lingerMs: number
  lingerBytesMax: number
}

export const BODY_LIMITS: BodyLimits = { timeoutMs: 10_000, lingerMs: 2_000, lingerBytesMax: 16 * 1024 * 1024 }

/** An ApiRequest on top of node:http. */
export class NodeRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly peerAddress: string | undefined
  readonly #incoming: IncomingMessage
  readonly #limits: BodyLimits
  /** Set while the client waits for "100 Continue" before it sends the body. */
  #awaitsContinue: ServerResponse | undefined

  constructor(
    incoming: IncomingMessage,
    target: { path: string; search: string },
    peerAddress: string | undefined,
    limits: BodyLimits,
    awaitsContinue: ServerResponse | undefined,
  ) {
    this.method = incoming.method ?? ''
    this.path = target.path
    this.search = target.search
    this.peerAddress = peerAddress
    this.#incoming = incoming
    this.#limits = limits
    this.#awaitsContinue = awaitsContinue
  }

  /** True when the client never got the word to send its body: what comes next on the connection is anybody's guess. */
  get isBodyOutstanding(): boolean {
    return this.#awaitsContinue !== undefined
  }

  get headers(): IncomingMessage['headers'] {
    return this.#incoming.headers
  }

  get isForwarded(): boolean {
    return isForwarded(this.#incoming.headers)
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  readBody(bytesMax: number): Promise<Result<Uint8Array, BodyProblem>> {
    const declared = Number(this.#incoming.headers['content-length'] ?? 0)
    if (this.#awaitsContinue) {
      if (declared > bytesMax) return Promise.resolve(err('too_large'))
      this.#awaitsContinue.writeContinue()
      this.#awaitsContinue = undefined
    }
    return collect(this.#incoming, bytesMax, declared > bytesMax, this.#limits)
  }
}

function collect(
  incoming: IncomingMessage,
  bytesMax: number,
  isTooLargeAtOnce: boolean,
  limits: BodyLimits,
): Promise<Result<Uint8Array, BodyProblem>> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let bytes = 0
    let isTooLarge = isTooLargeAtOnce
    let timer = setTimeout(() => finish(err(isTooLarge ? 'too_large' : 'too_slow')), isTooLarge ? limits.lingerMs : limits.timeoutMs)
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (isTooLarge) {
        if (bytes > limits.lingerBytesMax) finish(err('too_large'))
      } else if (bytes > bytesMax) {
        isTooLarge = true
        chunks = []
        clearTimeout(timer)
        timer = setTimeout(() => finish(err('too_large')), limits.lingerMs)
      } else chunks.push(chunk)
    })
    incoming.once('end', () =>
      finish(isTooLarge ? err('too_large') : ok(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))),
    )
    incoming.once('close', () => finish(err('aborted')))
    incoming.once('error', () => finish(err('aborted')))

    function finish(result: Result<Uint8Array, BodyProblem>): void {
      clearTimeout(timer)
      resolve(result)
    }
  })
}
