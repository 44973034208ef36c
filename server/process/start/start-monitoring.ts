import { createServer, type IncomingMessage } from 'node:http'
import { err } from '#lib/result.ts'
import { errorResponse, refuse } from '#server/http/api/errors.ts'
import { handleApiRequest } from '#server/http/door/handle-api-request.ts'
import type { ApiRequest } from '#server/http/request/api-request.ts'
import { createPeerResolver } from '#server/http/request/peer-address.ts'
import { readTarget } from '#server/http/request/target.ts'
import { writeResponse } from '#server/http/request/write-response.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Runtime } from '#server/runtime.ts'

const PATHS: ReadonlySet<string> = new Set(['/health', '/health/live', '/health/ready', '/metrics'])

const NOT_SERVED = refuse(404, 'endpoint_not_found', 'Only /health and /metrics are served on this port.')

export type Monitoring = { drain(): Promise<void> }

/**
 * Serves /health and /metrics of this process, and nothing else, on a port of its own (MONITORING_PORT). A worker has no front
 * door, and behind one that several processes share a client cannot choose which of them answers. Rejects when the port is taken.
 */
export async function startMonitoring(runtime: Runtime, port: number): Promise<Monitoring> {
  const { config } = runtime
  const peers = createPeerResolver(config.trustedProxies)
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    const request = requestOf(incoming, peers.resolve(incoming.socket.remoteAddress, undefined))
    const answer = PATHS.has(request.path)
      ? handleApiRequest(runtime, request)
      : Promise.resolve(errorResponse(NOT_SERVED, request.path, runtime.clock))
    void answer.then((response) => writeResponse(outgoing, response, !incoming.complete))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: config.host, port }, () => {
      server.off('error', reject)
      server.on('error', (error) => reportUnexpected('monitoring: accept', error))
      resolve()
    })
  })
  return {
    drain: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function requestOf(incoming: IncomingMessage, peerAddress: string | undefined): ApiRequest {
  const { headers, method = 'GET', url = '' } = incoming
  const target = readTarget(url) ?? { path: url, search: '' }
  return {
    ...target,
    method,
    headers,
    peerAddress,
    isForwarded: headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined,
    header: (name) => [headers[name]].flat()[0],
    // No endpoint on this port takes a body.
    readBody: async () => err('aborted'),
  }
}
