import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Agent } from 'undici'

/** An answer of the other side. */
export type Answer = { status: number; headers: Record<string, string>; body: Buffer }

/** A request on its way through the proxy, and what can be done with it. */
export type Passing = {
  method: string
  /** Path and query. */
  url: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  response: ServerResponse
  /** Carries the request out on the other side, as it is or with this in its place. Throws if no answer comes. */
  carryOut(instead?: { url?: string; headers?: Record<string, string>; body?: Buffer }): Promise<Answer>
  /** Answers as the other side did. */
  answer(answer: Answer): void
}

/** Decides what happens to a request; a request that it does not answer stays open until the caller gives up. */
export type Disturb = (passing: Passing) => Promise<void>

const OF_THE_CONNECTION = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect']
const ANSWER_LIMIT_MS = 20_000

/** A proxy between two programs, on a fixed port, that passes each request to `disturb`. */
export class FaultProxy {
  readonly url: string
  readonly #server: Server
  readonly #port: number

  private constructor(server: Server) {
    this.#server = server
    // Not a pipe: it listens on a host.
    this.#port = (server.address() as AddressInfo).port
    this.url = `http://127.0.0.1:${this.#port}`
  }

  static async start({ target, disturb }: { target: () => string; disturb: Disturb }): Promise<FaultProxy> {
    const agent = new Agent({ connections: 512, headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS })
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      response.on('error', () => undefined)
      // The caller or the other side has closed its connection: end this one too, as a proxy does.
      pass({ request, response, agent, target: target() }, disturb).catch(() => response.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    server.once('close', () => void agent.destroy())
    return new FaultProxy(server)
  }

  /** Refuses every connection for this long. */
  async beAwayMs(durationMs: number, wait: (durationMs: number) => Promise<void>): Promise<void> {
    const listeners = this.#server.listeners('close')
    this.#server.removeAllListeners('close')
    await this.close()
    for (const listener of listeners) this.#server.once('close', listener as () => void)
    await wait(durationMs)
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

type Ends = { request: IncomingMessage; response: ServerResponse; agent: Agent; target: string }

async function pass({ request, response, agent, target }: Ends, disturb: Disturb): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const body = await buffer(request)
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) => (OF_THE_CONNECTION.includes(name) ? [] : [[name, String(value)]])),
  )
  await disturb({
    method,
    url,
    headers,
    body,
    response,
    async carryOut(instead = {}) {
      const sent = instead.body ?? body
      const answer = await agent.request({
        origin: target,
        path: instead.url ?? url,
        method: method === 'GET' || method === 'PUT' ? method : 'POST',
        headers: instead.headers ?? headers,
        body: sent.length === 0 ? null : sent,
      })
      const shown = Object.entries(answer.headers).flatMap(([name, value]) =>
        OF_THE_CONNECTION.includes(name) ? [] : [[name, String(value)]],
      )
      return { status: answer.statusCode, headers: Object.fromEntries(shown), body: Buffer.from(await answer.body.arrayBuffer()) }
    },
    answer: ({ status, headers: answered, body: content }) => void response.writeHead(status, answered).end(content),
  })
}
