import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import type { SandboxApplication } from '#server/sandbox/seed-sandbox.ts'

/** An answer of the service; undefined: none came, and what happened is not known. */
export type Answer = { status: number; retryAfter: string | undefined; body: unknown; atMs: number } | undefined

const PATH = '/api/v1/transaction'
const SECOND_PATH = '/api/v2'
const ANSWER_LIMIT_MS = 20_000

/** One partner's program: signs in, keeps its token, sends requests over several connections. */
export class PartnerProgram {
  readonly application: SandboxApplication
  #baseUrl: string
  #agent = new Agent({
    connections: 32,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    headersTimeout: ANSWER_LIMIT_MS,
    bodyTimeout: ANSWER_LIMIT_MS,
  })
  #accessToken = ''

  constructor(baseUrl: string, application: SandboxApplication) {
    this.#baseUrl = baseUrl
    this.application = application
  }

  /** Gets the first token; throws when the service refuses it. */
  async signIn(): Promise<void> {
    const { username, password } = this.application
    const answer = await this.#request('/public/access_token', { username, password }, {})
    if (answer?.status !== 200) throw new Error(`${username} could not sign in: ${JSON.stringify(answer)}`)
    this.#accessToken = (answer.body as { access_token: string }).access_token
  }

  /** POST to an endpoint of the specification. `cutAfterMs`: the partner hangs up after that time. */
  post(endpoint: string, options: { body?: unknown; query?: Record<string, string>; cutAfterMs?: number } = {}): Promise<Answer> {
    const search = options.query ? `?${new URLSearchParams(options.query)}` : ''
    const { apiKey, apiId } = this.application
    const headers = { apikey: apiKey, apiid: apiId, authorization: `Bearer ${this.#accessToken}` }
    return this.#request(`${PATH}/${endpoint}${search}`, options.body, headers, options.cutAfterMs)
  }

  /** POST to an endpoint of version 2. */
  postSecond(endpoint: string, body: unknown): Promise<Answer> {
    const { apiKey, apiId } = this.application
    const headers = { apikey: apiKey, apiid: apiId, authorization: `Bearer ${this.#accessToken}` }
    return this.#request(`${SECOND_PATH}/${endpoint}`, body, headers)
  }

  /** GET of a list or a total of the specification, with its query. */
  get(endpoint: string): Promise<Answer> {
    const { apiKey, apiId } = this.application
    const headers = { apikey: apiKey, apiid: apiId, authorization: `Bearer ${this.#accessToken}` }
    return this.#request(`${PATH}/${endpoint}`, undefined, headers, undefined, 'GET')
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  async #request(
    path: string,
    body: unknown,
    headers: Record<string, string>,
    cutAfterMs?: number,
    method: 'GET' | 'POST' = 'POST',
  ): Promise<Answer> {
    try {
      const answer = await this.#agent.request({
        origin: this.#baseUrl,
        path,
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: method === 'GET' ? null : body === undefined ? '' : JSON.stringify(body),
        signal: AbortSignal.timeout(cutAfterMs ?? ANSWER_LIMIT_MS),
      })
      const text = await answer.body.text()
      const retryAfter = answer.headers['retry-after']?.toString()
      return { status: answer.statusCode, retryAfter, body: JSON.parse(text), atMs: performance.now() }
    } catch {
      // A service that is away refuses connections immediately: do not ask it a thousand times a second.
      await delay(10)
      return undefined
    }
  }
}
