import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One webhook as it arrived. */
export type Arrival = { transactionId: string; externalId: string; status: string; atMs: number; answered: number | 'cut' }

/** How a receiver behaves, by the path of its address. */
export const RECEIVER_PATHS = ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'flaky', 'flaky', 'cut', 'refusing'] as const
type ReceiverPath = (typeof RECEIVER_PATHS)[number]

/**
 * The partner's webhook receivers: one that is always well, and one, on a port of its own, whose addresses fail the first
 * time (`flaky`), cut the first connection (`cut`) or never take anything (`refusing`). They outlive every kill.
 */
export class Receiver {
  readonly arrivals = new Map<string, Arrival[]>()
  #servers: Server[] = []
  #ports: number[] = []

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    for (let place = 0; place < 2; place++) {
      const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void receiver.#take(request, response))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      receiver.#servers.push(server)
      receiver.#ports.push((server.address() as AddressInfo).port)
    }
    return receiver
  }

  url(path: ReceiverPath): string {
    return `http://127.0.0.1:${this.#ports[path === 'ok' ? 0 : 1]}/${path}`
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()))
        server.closeAllConnections()
        return closed
      }),
    )
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined)
    // The sender was killed before it had sent everything: nothing arrived.
    if (body === undefined || !request.complete) return
    const { transactionId, externalId, status } = JSON.parse(body) as Record<'transactionId' | 'externalId' | 'status', string>
    const before = this.arrivals.get(transactionId) ?? []
    const isFirst = before.length === 0
    const behaviour = request.url?.slice(1)
    const answered = behaviour === 'refusing' || (behaviour === 'flaky' && isFirst) ? 500 : behaviour === 'cut' && isFirst ? 'cut' : 200
    this.arrivals.set(transactionId, [...before, { transactionId, externalId, status, atMs: performance.now(), answered }])
    if (answered === 'cut') response.destroy()
    else response.writeHead(answered).end()
  }
}
