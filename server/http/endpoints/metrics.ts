import { createHash, timingSafeEqual } from 'node:crypto'
import { err, ok } from '#lib/result.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import type { HttpRuntime } from '#server/http/api/http-runtime.ts'
import type { ApiRequest } from '#server/http/request/api-request.ts'
import { isPrivateAddress } from '#server/http/request/peer-address.ts'

const BEARER = /^Bearer +(\S+) *$/i

/**
 * GET /metrics, for Prometheus. If METRICS_TOKEN is set, only for callers that send it. Otherwise for callers on this machine and its
 * private network, unless an untrusted proxy forwarded the request, because then the caller is unknown.
 */
export const metrics: OpenEndpoint = {
  kind: 'open',
  name: 'metrics',
  method: 'GET',
  path: '/metrics',
  async respond(runtime, request) {
    const refusal = checkReader(runtime, request)
    if (refusal) return err(refusal)
    return ok({ status: 200, ...(await runtime.metrics.write()) })
  },
}

function checkReader({ config }: HttpRuntime, request: ApiRequest): Refusal | undefined {
  if (config.metricsToken !== undefined) {
    const given = BEARER.exec(request.header('authorization') ?? '')?.[1] ?? ''
    if (timingSafeEqual(digest(given), digest(config.metricsToken))) return undefined
    return refuse(401, 'The metrics require a bearer token.', { 'www-authenticate': 'Bearer' })
  }
  const isBehindUnknownProxy = config.trustedProxies.length === 0 && request.isForwarded
  const isNear = request.peerAddress !== undefined && isPrivateAddress(request.peerAddress)
  return isNear && !isBehindUnknownProxy ? undefined : refuse(403, 'The metrics are only available on this network, or with METRICS_TOKEN.')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
