import type { IncomingMessage, ServerResponse } from 'node:http'
import { isCleanText } from '#lib/text/clean-text.ts'
import type { ApiResponse } from '#server/http/request/api-request.ts'
import { hasFewValues } from '../action-values.ts'
import { guardAnswer } from '../handle-api-request.ts'
import { refusedRequest, renderDatabaseAway, renderRefusal } from '../refusal.ts'
import { type PageNotes, runWithNotes } from './page-notes.ts'

/** The function that answers requests for pages: Next's request handler. */
export type Fallback = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** The methods that a page answers. Data addresses declare their own. */
const PAGE_METHODS = new Set(['GET', 'HEAD', 'POST'])
const ALLOWED = { allow: [...PAGE_METHODS].join(', ') }

/**
 * Hands the request of a page on to Next, unless Next would answer it with 500 although the client is at fault: a target that is not
 * percent-encoded UTF-8, a form or an action of another site, an action with more values than any of ours takes. They are refused with 4xx
 * here, because Next cannot be hooked at that point: it throws before the proxy, the route or the action runs. `body` is
 * what the request was found to carry; `endTurn` is called when the page begins to wait for something that has a queue of its own.
 */
export function callNext(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { next, body, endTurn }: { next: Fallback; body?: Uint8Array | undefined; endTurn?: () => void },
): unknown {
  const url = incoming.url ?? '/'
  const [path = '/'] = url.split('?', 1)
  const status = findRefusal(incoming, { path, url, body })
  const refuse = (refused: number) =>
    refused === 503
      ? renderDatabaseAway(refusedRequest(incoming), incoming.method)
      : renderRefusal({ status: refused, ...(refused === 405 && { headers: ALLOWED }) }, refusedRequest(incoming))
  if (status !== undefined) return send(outgoing, refuse(status), incoming.method === 'HEAD')
  // Answering with the whole is always allowed, and Next answers a range that it cannot read with 500.
  delete incoming.headers.range
  const notes: PageNotes = { isReached: false, status: undefined, endTurn }
  guardAnswer(incoming, outgoing, notes, refuse)
  return runWithNotes(notes, () => next(incoming, outgoing))
}

/** The status of the refusal; undefined for a request that Next can read. */
function findRefusal(
  incoming: IncomingMessage,
  { path, url, body }: { path: string; url: string; body: Uint8Array | undefined },
): number | undefined {
  const isPage = path !== '/api' && !path.startsWith('/api/')
  if (!isReadable(url)) return 400
  if (!PAGE_METHODS.has(incoming.method ?? '') && isPage) return 405
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD' && !isFromHere(incoming)) return 403
  if (isPage && body && !hasFewValues(body)) return 400
  return undefined
}

/** Percent escapes that are whole and decode to UTF-8 without NUL: Next decodes the path, and every page its query. */
export function isReadable(url: string): boolean {
  try {
    return isCleanText(decodeURIComponent(url))
  } catch {
    // A broken escape: answered with 400.
    return false
  }
}

/**
 * True without an Origin, which every browser sends along with a POST, and for the site's own: the same comparison that Next makes before
 * an action, where a difference is an exception and 500. A trusted proxy names the host in X-Forwarded-Host.
 */
function isFromHere({ headers }: IncomingMessage): boolean {
  if (headers.origin === undefined) return true
  if (!URL.canParse(headers.origin)) return false
  const { host } = new URL(headers.origin)
  const forwarded = [headers['x-forwarded-host']].flat()[0]?.split(',', 1)[0]?.trim()
  return host !== '' && (host === forwarded || host === headers.host)
}

/** Writes a whole answer, and keeps the connection. */
export function send(outgoing: ServerResponse, { status, headers, contentType, body }: ApiResponse, isHead: boolean): void {
  outgoing.writeHead(status, { ...headers, 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) })
  outgoing.end(isHead ? undefined : body)
}
