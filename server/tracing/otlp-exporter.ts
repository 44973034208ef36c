import { hostname } from 'node:os'
import { Agent, request } from 'undici'
import type { Config } from '#server/config.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

/** The work between two instants, in milliseconds since 1970. `kind`: 1 internal, 2 server, 3 client. Hexadecimal ids. */
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string | undefined
  name: string
  kind: 1 | 2 | 3
  startMs: number
  endMs: number
  attributes: Readonly<Record<string, string | number>>
  links?: readonly { traceId: string; spanId: string }[]
  isFailed?: boolean
}

export type Exporter = {
  add(span: Span): void
  /** Spans that were dropped, because the collector did not take them. */
  dropped(): number
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>
}

const BATCH_MAX = 512
/** Of about half a kilobyte each. With more, a collector that is away costs no more memory. */
const WAITING_MAX = 8_192
const PAUSE_MS = 1_000
const POST_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 2_000

/**
 * Sends spans to a collector: OTLP over HTTP, as JSON. Batches are sent one after the other, never while somebody waits. One that the
 * collector does not take is dropped.
 */
export function createOtlpExporter({ endpoint, headers, serviceName }: NonNullable<Config['traces']>): Exporter {
  const agent = new Agent({
    connections: 1,
    headersTimeout: POST_LIMIT_MS,
    bodyTimeout: POST_LIMIT_MS,
    connect: { timeout: POST_LIMIT_MS },
  })
  const resource = {
    attributes: toAttributes({ 'service.name': serviceName, 'host.name': hostname(), 'process.pid': process.pid }),
  }
  let waiting: Span[] = []
  let dropped = 0
  let isAway = false
  let sending: Promise<void> | undefined
  const timer = setInterval(send, PAUSE_MS)
  timer.unref()

  function send(): void {
    if (waiting.length > 0) sending ??= sendAll().finally(() => (sending = undefined))
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX)
      waiting = waiting.slice(BATCH_MAX)
      const problem = await post(batch)
      if (problem !== undefined) dropped += batch.length
      // Once, and not each second that the collector is away.
      if (problem !== undefined && !isAway)
        reportUnexpected('tracing: export', problem, {
          message: 'Traces could not be exported; they are dropped until the collector is back',
        })
      isAway = problem !== undefined
    }
  }

  async function post(batch: readonly Span[]): Promise<unknown> {
    try {
      const body = JSON.stringify({
        resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'countersign' }, spans: batch.map(toOtlp) }] }],
      })
      const answer = await request(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        dispatcher: agent,
      })
      await answer.body.dump()
      return answer.statusCode < 300 ? undefined : new Error(`The collector answered ${answer.statusCode}`)
    } catch (error) {
      // Reported by the caller.
      return error
    }
  }

  return {
    add(span) {
      if (waiting.length >= WAITING_MAX) dropped++
      else if (waiting.push(span) >= BATCH_MAX) send()
    },
    dropped: () => dropped,
    async close() {
      clearInterval(timer)
      send()
      let limit: NodeJS.Timeout | undefined
      await Promise.race([sending, new Promise<void>((resolve) => (limit = setTimeout(resolve, CLOSE_LIMIT_MS)))])
      clearTimeout(limit)
      await agent.destroy()
    },
  }
}

function toOtlp({ startMs, endMs, attributes, links = [], isFailed, ...span }: Span) {
  return {
    ...span,
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(Math.max(startMs, endMs)),
    attributes: toAttributes(attributes),
    ...(links.length > 0 ? { links } : {}),
    ...(isFailed ? { status: { code: 2 } } : {}),
  }
}

/** To the microsecond, which is what a double holds. */
function toNanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`
}

function toAttributes(attributes: Readonly<Record<string, string | number>>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }))
}
