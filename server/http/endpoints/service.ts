import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { err, ok, type Result } from '#lib/result.ts'
import { type Pool, withStatementLimit } from '#server/database/pool.ts'
import type { HttpRuntime, OpenEndpoint } from '../api/endpoint.ts'
import { type Refusal, refuse } from '../api/errors.ts'
import { writeReadiness } from '../api/health-store.ts'
import { type ApiRequest, type ApiResponse, jsonResponse } from '../request/api-request.ts'
import { isPrivateAddress } from '../request/peer-address.ts'

/** With the gap, a balancer that asks each second is told within 3 s that no commit ends. */
const COMMIT_LIMIT_MS = 1_500
const CHECK_GAP_MS = 1_000

/** GET /health/live: 200 while the process responds. It does not check the database, because a restart would not repair that. */
export const healthLive: OpenEndpoint = {
  kind: 'open',
  name: 'health/live',
  method: 'GET',
  path: '/health/live',
  respond: async () => ok(jsonResponse('{"status":"up"}')),
}

/** GET /health/ready: 200 if this process can serve requests, 503 while the database commits nothing or the directory of applications is stale. */
export const healthReady: OpenEndpoint = {
  kind: 'open',
  name: 'health/ready',
  method: 'GET',
  path: '/health/ready',
  respond: checkReadiness,
}

/** GET /health: the same as /health/ready. */
export const health: OpenEndpoint = { ...healthReady, name: 'health', path: '/health' }

async function checkReadiness({ pool, directory }: HttpRuntime): Promise<Result<ApiResponse, Refusal>> {
  if (!directory.isFresh()) return err(refuse(503, 'not_ready', 'The directory of applications is out of date.'))
  return (await canCommit(pool)) ? ok(jsonResponse('{"status":"up"}')) : err(refuse(503, 'not_ready', 'The database accepts no commits.'))
}

type Check = { startedMs: number; hasEnded: boolean; isCommitted: Promise<boolean> }

/** One check at a time and at most one a second, because anyone may request the health, and each takes a connection that payments need. */
const CHECKS = new WeakMap<Pool, Check>()

/** Whether a commit ends in time. A database that only reads is not enough: it may be a standby, or wait for a standby that is lost. */
function canCommit(pool: Pool): Promise<boolean> {
  const latest = CHECKS.get(pool)
  if (latest && (!latest.hasEnded || performance.now() - latest.startedMs < CHECK_GAP_MS)) return latest.isCommitted
  const writing = withStatementLimit(COMMIT_LIMIT_MS, () => writeReadiness(pool)).then(
    () => true,
    // biome-ignore lint/plugin/no-silent-error: A database that is away is one of the two answers of this endpoint: 503.
    () => false,
  )
  const check: Check = { startedMs: performance.now(), hasEnded: false, isCommitted: withinLimit(writing) }
  CHECKS.set(pool, check)
  void writing.then(() => {
    check.hasEnded = true
  })
  return check.isCommitted
}

/** Returns the result of the check, or false after the limit: it may wait longer than that for a connection. */
async function withinLimit(writing: Promise<boolean>): Promise<boolean> {
  const timer = new AbortController()
  // biome-ignore lint/plugin/no-silent-error: The database answered first, and the timer was aborted.
  const isCommitted = await Promise.race([writing, delay(COMMIT_LIMIT_MS, false, { signal: timer.signal }).catch(() => false)])
  timer.abort()
  return isCommitted
}

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
    return refuse(401, 'unauthenticated', 'The metrics require a bearer token.', { 'www-authenticate': 'Bearer' })
  }
  const isBehindUnknownProxy = config.trustedProxies.length === 0 && request.isForwarded
  const isNear = request.peerAddress !== undefined && isPrivateAddress(request.peerAddress)
  return isNear && !isBehindUnknownProxy
    ? undefined
    : refuse(403, 'address_not_allowed', 'The metrics are only available on this network, or with METRICS_TOKEN.')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
