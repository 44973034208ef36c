import type { Subscriber } from '#server/people/find-admitted.ts'
import { processWide } from '#server/process-wide.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { createLiveHub, type LiveHub } from './live-hub.ts'

const HEARTBEAT_MS = 15_000
/** After this the page reconnects, which also reads the session again. */
const STREAM_MAX_MS = 30 * 60_000
/** Events that may wait for a reader that does not read; each is about 50 bytes, and one a second. */
const UNREAD_MAX = 120
/** Pages that one person may have open at once in this process. */
const STREAMS_MAX = 40

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    liveHub: LiveHub
  }
}

function liveHub(): LiveHub {
  return processWide('liveHub', () => createLiveHub({ queryable: backOfficeRuntime().pool, clock: backOfficeRuntime().clock }))
}

/**
 * Server-sent events for one open page: `change` with the application's change number and business time zone, `ended` when the person loses access,
 * and a comment every 15 s so that nothing in between closes a silent connection. `no-transform` keeps it from being
 * compressed, and with that from being held back. Ends with the session (`endsAt`), when its reader stops reading, and when the database is
 * away. 429 when the
 * person has 40 of them open already.
 */
export function liveStream(subscriber: Subscriber & { endsAt: Date }, signal: AbortSignal, hub: LiveHub = liveHub()): Response {
  if (hub.countOf(subscriber.personId) >= STREAMS_MAX) return new Response(null, { status: 429, headers: { 'retry-after': '30' } })
  const encoder = new TextEncoder()
  let stop: () => void = () => undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      function send(text: string) {
        if ((controller.desiredSize ?? 0) < -UNREAD_MAX) end()
        else controller.enqueue(encoder.encode(text))
      }
      const unwatch = hub.watch({
        ...subscriber,
        onChange: ({ changeNumber, timeZone }) => send(`event: change\ndata: ${changeNumber} ${timeZone}\n\n`),
        onEnd: endTold,
        onLost: end,
      })
      function endTold() {
        send('event: ended\ndata: -\n\n')
        end()
      }
      const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS)
      const sessionLeftMs = subscriber.endsAt.getTime() - Date.now()
      const limit = sessionLeftMs < STREAM_MAX_MS ? setTimeout(endTold, sessionLeftMs) : setTimeout(end, STREAM_MAX_MS)
      stop = () => {
        clearInterval(heartbeat)
        clearTimeout(limit)
        unwatch()
      }
      function end() {
        stop()
        try {
          controller.close()
        } catch {
          // Ignored: the reader was quicker.
        }
      }
      // A reader may be gone before the listener is added: then no event follows.
      if (signal.aborted) return end()
      signal.addEventListener('abort', end, { once: true })
      send('retry: 3000\nevent: hello\ndata: -\n\n')
    },
    cancel: () => stop(),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
