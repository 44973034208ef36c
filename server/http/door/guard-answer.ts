import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PageNotes } from '#server/http/door/page-notes.ts'
import type { ApiResponse } from '../request/api-response.ts'

/** The header of an action that Next's own client calls, which understands Next's response to a page that is older than this build. */
const ACTION_HEADER = 'next-action'
/** The pages that Next's client holds, as percent-encoded JSON. Next returns 500 if it is not that. */
const STATE_HEADER = 'next-router-state-tree'

/**
 * Changes three things in Next's response, before its first byte is sent.
 *
 * - A request that failed before our code was reached failed while Next read it: a form that is not multipart, an action with unreadable
 *   arguments, an unreadable router state. Next returns 500 with plain text; the client receives `refuse(status)` with a 4xx instead. This
 *   applies only to requests that contain such input. For any other request a 500 of Next is not replaced.
 * - A request that failed because the database is away gets `refuse(503)` instead of 500. Next's own client learns it from the answer to its
 *   action.
 * - A page that set a status in its notes gets that status instead of 200.
 *
 * Next decodes a body inside its own handler, before our code runs, and has no hook that sets a status.
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

  /** Returns the status to send; undefined if the whole response was replaced. */
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

  // The three are overloaded, so their arguments are passed on unchanged.
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

/** Returns the status of the refusal that replaces a response of Next's own; undefined if the response is not replaced. */
function refusedStatus(incoming: IncomingMessage, status: number, notes: PageNotes): number | undefined {
  if (notes.isDatabaseAway && status >= 500 && incoming.headers[ACTION_HEADER] === undefined) return 503
  if (notes.isReached || status < 400 || incoming.url?.startsWith('/_next/')) return undefined
  if (status >= 500) return hasMoreThanAnAddress(incoming) ? 400 : undefined
  return incoming.headers[ACTION_HEADER] === undefined ? status : undefined
}

/** Returns true for a request of which Next reads more than its address: a body, or the state of its router. */
function hasMoreThanAnAddress({ method, headers }: IncomingMessage): boolean {
  return (method !== 'GET' && method !== 'HEAD') || headers[STATE_HEADER] !== undefined
}

/** Drops what Next still writes, and reports to Next that it was written. */
function swallow(given: readonly unknown[]): true {
  const written = given.findLast((each) => typeof each === 'function')
  if (written) queueMicrotask(() => written())
  return true
}
