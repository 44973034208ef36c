import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Agent, type Dispatcher } from 'undici'
import { waitUntil } from '#server/testing/wait-until.ts'

/** An answer of the API that a partner would complain about, or the time that one took. */
type Answer = { path: string; status: number; durationMs: number; endedMs: number }

export type Balancer = {
  baseUrl: string
  /** Of the API, in the order in which they ended; status 502 if a process closed the connection without an answer. */
  answers: readonly Answer[]
  /** From now on these addresses take the requests. */
  setTargets(baseUrls: readonly string[]): void
  /** Sends nothing more to this address, and resolves once it has answered everything. */
  drain(baseUrl: string): Promise<void>
  close(): Promise<void>
}

/** A balancer for the load of partners and people: each request goes to the next process that takes requests. */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ connections: 64, pipelining: 1 })
  const answers: Answer[] = []
  const open = new Map<string, number>()
  let targets: readonly string[] = []
  let turn = 0
  const count = (target: string, change: number) => open.set(target, (open.get(target) ?? 0) + change)
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const target = targets[turn++ % targets.length] ?? ''
    const startedMs = performance.now()
    const note = (status: number) => {
      const endedMs = performance.now()
      if (url.startsWith('/api/v1/')) answers.push({ path: url.split('?')[0] ?? '', status, durationMs: endedMs - startedMs, endedMs })
    }
    const hungUp = new AbortController()
    response.on('close', () => hungUp.abort())
    const { connection: _, 'transfer-encoding': __, ...passed } = headers
    const body = method === 'GET' || method === 'HEAD' ? null : request
    count(target, 1)
    agent
      .request({ origin: target, path: url, method: method as Dispatcher.HttpMethod, headers: passed, body, signal: hungUp.signal })
      .then(async ({ statusCode, headers: answered, body: content }) => {
        note(statusCode)
        const { connection: ___, 'transfer-encoding': ____, ...returned } = answered
        response.writeHead(statusCode, returned)
        await pipeline(Readable.from(content), response)
      })
      .catch(() => {
        if (hungUp.signal.aborted) return
        note(502)
        if (!response.headersSent) response.writeHead(502)
        response.end()
      })
      .finally(() => count(target, -1))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    setTargets(baseUrls) {
      targets = baseUrls
    },
    async drain(baseUrl) {
      targets = targets.filter((target) => target !== baseUrl)
      await waitUntil(`${baseUrl} has answered everything`, () => (open.get(baseUrl) ?? 0) === 0)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await agent.destroy()
    },
  }
}
