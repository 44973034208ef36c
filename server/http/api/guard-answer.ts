import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PageNotes } from '#server/http/door/page-notes.ts'
import type { ApiResponse } from './api-response.ts'

/** An action that Next's own client calls: it understands Next's answer to a page that is older than this build. */
const ACTION_HEADER = 'next-action'
/** What Next's client tells about the pages that it holds, as percent-encoded JSON: Next answers 500 where it is none. */
const STATE_HEADER = 'next-router-state-tree'

/**
 * Watches what Next answers and changes two things at the last moment, before the first byte leaves.
 *
 * - A request that failed before any code of ours was reached failed while Next read it: a form that is no multipart, an action whose
 *   arguments are none, a router state that is none. Next calls that 500 and says so in plain text; the client gets `refuse(status)` with
 *   a 4xx instead. Only requests that have such things to read: for any other a 500 of Next is its own.
 * - A page that asked for a status in its notes gets it in place of 200.
 *
 * It has to be here: Next decodes a body inside its own handler, where nothing of ours runs yet, and offers no hook that sets a status.
 */
export function guardAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  notes: PageNotes,
  refuse: (status: number) => ApiResponse,
): void {
  const original = { writeHead: outgoing.writeHead.bind(outgoing), write: outgoing.write.bind(outgoing), end: outgoing.end.bind(outgoing) }
  let isDecided = false
  let isReplaced = false

  /** Returns the status to send; undefined when the whole answer was replaced. */
  function decide(status: number): number | undefined {
    if (isReplaced) return undefined
    if (isDecided || status < 200) return status
    isDecided = true
    const refused = refusedStatus(incoming, status, notes)
    if (refused === undefined) return status === 200 ? (notes.status ?? status) : status
    isReplaced = true
    for (const name of outgoing.getHeaderNames()) if (name !== 'connection') outgoing.removeHeader(name)
    const { headers, body, contentType, status: sent } = refuse(refused)
    original.writeHead(sent, { ...headers, 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) })
    original.end(incoming.method === 'HEAD' ? undefined : body)
    return undefined
  }

  // The three are overloaded; whatever they were called with is passed on as it is.
  outgoing.writeHead = ((status: number, ...rest: []) => {
    const decided = decide(status)
    return decided === undefined ? outgoing : original.writeHead(decided, ...rest)
  }) as typeof outgoing.writeHead
  outgoing.write = ((...given: Parameters<typeof outgoing.write>) => {
    if (!outgoing.headersSent) setStatus()
    return isReplaced ? swallow(given) : original.write(...given)
  }) as typeof outgoing.write
  outgoing.end = ((...given: Parameters<typeof outgoing.end>) => {
    if (!outgoing.headersSent) setStatus()
    if (isReplaced) swallow(given)
    else original.end(...given)
    return outgoing
  }) as typeof outgoing.end

  function setStatus(): void {
    const decided = decide(outgoing.statusCode)
    if (decided !== undefined) outgoing.statusCode = decided
  }
}

/** The 4xx that replaces an answer of Next's own; undefined where the answer stays. */
function refusedStatus(incoming: IncomingMessage, status: number, notes: PageNotes): number | undefined {
  if (notes.isReached || status < 400 || incoming.url?.startsWith('/_next/')) return undefined
  if (status >= 500) return hasMoreThanAnAddress(incoming) ? 400 : undefined
  return incoming.headers[ACTION_HEADER] === undefined ? status : undefined
}

/** True for a request of which Next reads more than its address: a body, or the state of its router. */
function hasMoreThanAnAddress({ method, headers }: IncomingMessage): boolean {
  return (method !== 'GET' && method !== 'HEAD') || headers[STATE_HEADER] !== undefined
}

/** Drops what Next still writes, and lets it believe that it was written. */
function swallow(given: readonly unknown[]): true {
  const written = given.findLast((each) => typeof each === 'function')
  if (written) queueMicrotask(() => written())
  return true
}
