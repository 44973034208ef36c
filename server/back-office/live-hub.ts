import type { Clock } from '#lib/time/time.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findAdmitted, type Subscriber } from '#server/people/sign-in/sessions.ts'
import { processWide } from '#server/process-wide.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type ApplicationRevision, findRevisions } from '#server/reports/overview/overview-store.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'

export type Subscription = Subscriber & {
  onChange(revision: ApplicationRevision): void
  /** Called once, when this person loses access. */
  onEnd(): void
  /** Called once, when changes cannot be read because the database is away. */
  onLost(): void
}

export type LiveHub = {
  /** Starts the notifications; the function it returns stops them. */
  watch(subscription: Subscription): () => void
  count(): number
  /** The number of open subscriptions of one person, in all their windows. */
  countOf(personId: string): number
}

type LiveHubOptions = {
  queryable: Queryable
  clock: Clock
  pollMs?: number
  admissionMs?: number
  /** Calls `work` once, after this long; by default with a timer that does not keep the process alive. */
  callLater?: (work: () => void, delayMs: number) => void
}

const callAfter = (work: () => void, delayMs: number) => void setTimeout(work, delayMs).unref()

/**
 * Tells open pages that their application changed. The cost does not depend on the number of pages: one statement per `pollMs` reads
 * the changes of all applications, one per `admissionMs` checks who may still read, and none runs without subscriptions. By default both
 * run each second, so that a page ends within about two seconds of its session, in every process.
 */
export function createLiveHub({ queryable, clock, pollMs = 1_000, admissionMs = 0, callLater = callAfter }: LiveHubOptions): LiveHub {
  const subscriptions = new Set<Subscription>()
  // The last revision sent to each page. The first poll notifies every page: something may have changed since it was rendered.
  const told = new WeakMap<Subscription, ApplicationRevision>()
  let isScheduled = false
  let checkedAtMs = 0

  async function poll(): Promise<void> {
    const watched = [...new Set([...subscriptions].map((subscription) => subscription.applicationId))]
    const revisions = await findRevisions(queryable, watched)
    for (const subscription of subscriptions) {
      const revision = revisions.get(subscription.applicationId)
      const before = told.get(subscription)
      if (!revision || (before?.changeNumber === revision.changeNumber && before.timeZone === revision.timeZone)) continue
      told.set(subscription, revision)
      subscription.onChange(revision)
    }
  }

  async function checkAdmission(): Promise<void> {
    const all = [...subscriptions]
    const admitted = await findAdmitted(queryable, all, clock.now())
    for (const [index, subscription] of all.entries()) {
      if (!admitted.has(index) && subscriptions.delete(subscription)) subscription.onEnd()
    }
  }

  /** Each page connects again once the database answers, and reads then what it could not read meanwhile. */
  function lose(): void {
    for (const subscription of subscriptions) {
      subscriptions.delete(subscription)
      subscription.onLost()
    }
  }

  async function tick(): Promise<void> {
    try {
      // First, so that no ended session is notified of a change.
      if (performance.now() - checkedAtMs >= admissionMs) {
        await checkAdmission()
        checkedAtMs = performance.now()
      }
      await poll()
    } catch (error) {
      reportUnexpected('live pages: poll', error, { message: 'Live pages could not poll for changes; the next poll tries again' })
      if (isDatabaseAway(error)) lose()
    }
    isScheduled = false
    if (subscriptions.size > 0) schedule()
  }

  function schedule(): void {
    isScheduled = true
    callLater(() => void tick(), pollMs)
  }

  return {
    watch(subscription) {
      subscriptions.add(subscription)
      if (!isScheduled && subscriptions.size === 1) schedule()
      return () => void subscriptions.delete(subscription)
    },
    count: () => subscriptions.size,
    countOf: (personId) => [...subscriptions].filter((subscription) => subscription.personId === personId).length,
  }
}

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
 * Server-sent events for one open page: `change` with the application's change number, its business time zone, and the numbers of its proposals and of
 * its close of day; `ended` when the person loses access; and a comment every 15 s so that nothing in between closes a silent connection. `no-transform` keeps it from being
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
        onChange: ({ changeNumber, proposalNumber, closeNumber, timeZone }) =>
          send(`event: change\ndata: ${changeNumber} ${timeZone} ${proposalNumber} ${closeNumber}\n\n`),
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
