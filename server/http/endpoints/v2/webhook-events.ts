import { setTimeout as delay } from 'node:timers/promises'
import { err, ok } from '#lib/result.ts'
import { webhookEventsQuerySchema } from '#lib/schemas/queries.ts'
import type { Call, PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { refuse } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import { formatCursor, listWebhooksAfter, parseCursor, readCursorOfNow } from '#server/webhooks/listen.ts'

const ONLY_IN_SANDBOX = refuse(404, 'endpoint_not_found', 'Endpoint not found.')
const BAD_AFTER = refuse(400, 'cursor_invalid', 'after must be the cursor of an earlier response.')
const TOO_MANY = refuse(429, 'too_many_requests', 'Too many programs wait for the webhooks of this application. Try again in 1 s.', {
  'retry-after': '1',
})

/** While a call waits, the results are read this often. */
const POLL_MS = 500
/** Calls that wait at once, of one application. */
const WAITING_MAX = 4
const waiting = new Map<string, number>()

/**
 * GET /api/v2/webhook-events: the webhooks behind a cursor, as soon as there are any. In a sandbox only, for a program that brings them to a
 * developer's machine. Its calls are not recorded, because it calls all the time.
 */
export const webhookEvents: PartnerEndpoint = {
  kind: 'partner',
  name: 'webhook-events',
  method: 'GET',
  path: '/api/v2/webhook-events',
  scope: 'payments:read',
  isUnrecorded: true,
  async answer(call) {
    const { runtime, request, caller } = call
    if (!runtime.config.isSandbox) return err(ONLY_IN_SANDBOX)
    const query = readQuery(request, webhookEventsQuerySchema)
    if (!query.ok) return query
    const { applicationId } = caller.application
    const { after, wait = 0 } = query.value
    if (after === undefined)
      return ok(JSON.stringify({ events: [], cursor: formatCursor(await readCursorOfNow(runtime.pool, applicationId)) }))
    const cursor = parseCursor(after)
    if (!cursor) return err(BAD_AFTER)
    const count = waiting.get(applicationId) ?? 0
    if (count >= WAITING_MAX) return err(TOO_MANY)
    waiting.set(applicationId, count + 1)
    try {
      return ok(await awaitWebhooks(call, cursor, wait * 1_000))
    } finally {
      const left = (waiting.get(applicationId) ?? 1) - 1
      if (left === 0) waiting.delete(applicationId)
      else waiting.set(applicationId, left)
    }
  },
}

async function awaitWebhooks({ runtime, caller }: Call, after: Parameters<typeof listWebhooksAfter>[2], waitMs: number): Promise<string> {
  const { applicationId, webhookSecrets: secrets, copiesWebhookStatus: copiesStatus } = caller.application
  const untilMs = performance.now() + waitMs
  for (let cursor = after; ; ) {
    const listener = { applicationId, secrets, copiesStatus, now: runtime.clock.now() }
    const found = await listWebhooksAfter(runtime.pool, listener, cursor)
    const isOver = performance.now() + POLL_MS > untilMs
    if (found.webhooks.length > 0 || isOver) return JSON.stringify({ events: found.webhooks, cursor: formatCursor(found.cursor) })
    cursor = found.cursor
    await delay(POLL_MS)
  }
}
