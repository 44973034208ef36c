import { setTimeout as delay } from 'node:timers/promises'
import { err, ok, type Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { withStatementLimit } from '#server/database/statement-limit.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { writeReadiness } from '#server/http/api/health-store.ts'
import type { HttpRuntime } from '#server/http/api/http-runtime.ts'
import { type ApiResponse, jsonResponse } from '#server/http/request/api-response.ts'

const COMMIT_LIMIT_MS = 2_000
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
  if (!directory.isFresh()) return err(refuse(503, 'The directory of applications is out of date.'))
  return (await canCommit(pool)) ? ok(jsonResponse('{"status":"up"}')) : err(refuse(503, 'The database accepts no commits.'))
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
