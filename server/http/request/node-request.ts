import type { IncomingMessage, ServerResponse } from 'node:http'
import { err, type Result } from '#lib/result.ts'
import type { ApiRequest, BodyProblem } from '#server/http/request/api-request.ts'
import { readBody } from './body.ts'
import type { BodyBudget, BodyHold, BodyOwner } from './body-budget.ts'
import type { Connection } from './connection.ts'
import { isForwarded } from './peer-address.ts'
import type { Target } from './target.ts'

/** How long the body of an API request may take, from the first read. */
export const BODY_TIMEOUT_MS = 10_000

/** The facts that the front door knows of a request besides node's own objects. */
export type Arrival = {
  target: Target
  peerAddress: string | undefined
  connection: Connection
  budget: BodyBudget
  bodyTimeoutMs: number
  /** Set while the client waits for "100 Continue" before it sends the body. */
  awaitsContinue: ServerResponse | undefined
}

/** An ApiRequest on top of node:http. */
export class NodeRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly peerAddress: string | undefined
  readonly #incoming: IncomingMessage
  readonly #arrival: Arrival
  #hold: BodyHold | undefined
  #awaitsContinue: ServerResponse | undefined

  constructor(incoming: IncomingMessage, arrival: Arrival) {
    this.method = incoming.method ?? ''
    this.path = arrival.target.path
    this.search = arrival.target.search
    this.peerAddress = arrival.peerAddress
    this.#incoming = incoming
    this.#arrival = arrival
    this.#awaitsContinue = arrival.awaitsContinue
  }

  /** True if the client was never told to send its body: the next bytes of the connection are then ambiguous. */
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

  readBody(bytesMax: number, owner: BodyOwner): Promise<Result<Uint8Array, BodyProblem>> {
    const { budget, connection, bodyTimeoutMs } = this.#arrival
    if (this.#awaitsContinue) {
      if (Number(this.#incoming.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve(err('too_large'))
      this.#awaitsContinue.writeContinue()
      this.#awaitsContinue = undefined
    }
    this.#hold = budget.open(owner)
    return readBody(this.#incoming, { bytesMax, timeoutMs: bodyTimeoutMs, hold: this.#hold, connection })
  }

  /** Returns the memory of the body to the budget, once the request is answered. */
  release(): void {
    this.#hold?.release()
  }
}
