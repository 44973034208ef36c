import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Another answer than that of the service, or none; `pass`: that of the service. */
type Fault = { status: number; headers?: Record<string, string>; body?: string } | 'silence' | 'pass'

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

type Seen = { call: string; key: string | undefined; atMs: number }

export type FaultyProxy = { url: string; seen: Seen[]; close(): Promise<void> }

/**
 * Stands between a client and the service. The faults of `GET /path/{id}` happen once each, in their order; then
 * requests are passed on.
 */
export async function startFaultyProxy(target: string, faults: Record<string, Fault[]>): Promise<FaultyProxy> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url?.split('?', 1)[0]?.replaceAll(UUID, '{id}')}`
    seen.push({ call, key: request.headers['idempotency-key']?.toString(), atMs: performance.now() })
    const body = await buffer(request)
    const fault = faults[call]?.shift()
    if (fault === 'silence') return
    if (fault && fault !== 'pass') return response.writeHead(fault.status, fault.headers).end(fault.body)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !/^(host|connection|content-length|expect)$/.test(name) ? [[name, value]] : [],
    )
    const answer = await fetch(target + request.url, { method: request.method ?? 'GET', headers, ...(body.length > 0 && { body }) })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}
