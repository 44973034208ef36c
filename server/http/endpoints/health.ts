import { setTimeout as delay } from 'node:timers/promises'
import { err, ok, type Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { type ApiResponse, jsonResponse } from '#server/http/api/api-response.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { pingDatabase } from '#server/http/api/health-store.ts'
import type { HttpRuntime } from '#server/http/api/http-runtime.ts'

const PING_LIMIT_MS = 2_000

/** GET /health/live: 200 while the process responds. It does not check the database, because a restart would not repair that. */
export const healthLive: OpenEndpoint = {
  kind: 'open',
  name: 'health/live',
  method: 'GET',
  path: '/health/live',
  respond: async () => ok(jsonResponse('{"status":"up"}')),
}

/** GET /health/ready: 200 if this process can serve requests, 503 while the database does not respond or the directory of applications is stale. */
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
  if (!directory.isFresh()) return err(refuse(503, 'The directory of applications is out of date.'))
  let ping = PINGS.get(pool)
  if (!ping) {
    ping = isAnswering(pool).finally(() => PINGS.delete(pool))
    PINGS.set(pool, ping)
  }
  return (await ping) ? ok(jsonResponse('{"status":"up"}')) : err(refuse(503, 'The database does not respond.'))
}

/** One query at a time, because anyone may request the health, and each query takes a connection that payments need. */
const PINGS = new WeakMap<Pool, Promise<boolean>>()

async function isAnswering(pool: Pool): Promise<boolean> {
  const timer = new AbortController()
  const answered = await Promise.race([
    // A database that is away is one of the two answers of this endpoint: 503.
    pingDatabase(pool).then(
      () => true,
      () => false,
    ),
    // The database answered first, and the timer was aborted.
    delay(PING_LIMIT_MS, false, { signal: timer.signal }).catch(() => false),
  ])
  timer.abort()
  return answered
}
