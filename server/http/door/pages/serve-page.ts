import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { PRODUCT_PLACES, paths } from '#lib/pages/paths.ts'
import { isGuide } from '#lib/partner/guides.ts'
import { throttleNetwork } from '#server/credentials/address.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { type RequestFacts, runWithFacts } from '#server/http/request/request-facts.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { REFUSAL_HEADERS, refusedRequest, renderRefusal } from '../refusal.ts'
import { createPageMemory, renderDocument } from './page-memory.ts'
import { createPageTurns, type PageTurnOptions } from './page-turns.ts'
import { callNext, type Fallback, isReadable, send } from './refuse-before-next.ts'

export type PageOptions = {
  /** Returns the id of the person whose session these cookies carry. Without it nothing is known of sessions: every page is rendered. */
  readVisitor?: (cookies: string | undefined) => Promise<string | undefined>
  /** Whether the file at this path is one of the build's, which Next sends without rendering anything. Default: none is. */
  isFile?: (path: string) => boolean
  turns?: Partial<PageTurnOptions>
  /** How long a 503 is held back from a client without a session: one that asks again at once would fill the event loop with refusals. */
  refusedAfterMs?: number
  /** How many requests without a session are answered at once within a second, of one network and of all; how long others are held back. */
  pace?: { networkMax: number; allMax: number; heldMs: number }
}

export type PageServer = {
  /** Answers a request for a page, a part of one, or its data. `body` is what the request was found to carry. */
  serve(incoming: IncomingMessage, outgoing: ServerResponse, request: { facts: RequestFacts; body?: Uint8Array | undefined }): void
}

/** The wait announced to a client without a turn, in seconds. */
const RETRY_AFTER_S = 2
const REFUSED_AFTER_MS = 500
/** Several times what the browsers of a large office ask for when all open the product in the same second. */
const PACE = { networkMax: 100, allMax: 500, heldMs: 500 }
/** Files beside the pages, and the streams of live pages: none renders anything. */
const FILES = new Set(['/robots.txt', '/icon.svg', '/push-worker.js'])
const STREAM = /^\/api\/back-office\/[^/]+\/live$/

/**
 * Decides whether a page is answered from memory, refused without a render, or rendered by Next, and then when. The API shares the event
 * loop with the pages: no client may fill it with renders, least of all one that is not signed in.
 */
export function createPageServer(next: Fallback, options: PageOptions & { onRefused(): void }): PageServer {
  const { readVisitor, isFile = () => false, refusedAfterMs = REFUSED_AFTER_MS, pace = PACE, onRefused } = options
  const turns = createPageTurns(options.turns)
  const memory = createPageMemory()
  const isWithinPace = createPace(pace)

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse, { facts, body }: Parameters<PageServer['serve']>[2]) {
    const path = incoming.url?.split('?', 1)[0] ?? '/'
    const render = (endTurn: () => void) => void runWithFacts(facts, () => callNext(incoming, outgoing, { next, body, endTurn }))
    if (FILES.has(path) || isFile(path)) return render(() => undefined)
    const personId = await readVisitor?.(incoming.headers.cookie)
    if (readVisitor && personId === undefined) {
      if (!isWithinPace(facts.peerAddress)) await delay(pace.heldMs)
      if (outgoing.destroyed) return
      const found = publicAnswer(incoming)
      if (found.kind === 'sign_in') return redirect(outgoing, found.location)
      if (found.kind === 'none') return refuse(incoming, outgoing, 404)
      if (found.kind === 'stored') {
        const outcome = await memory.answer(incoming, outgoing, (headers) => renderInTurn(incoming, facts, headers))
        if (outcome === 'busy') refuseBusy(incoming, outgoing, refusedAfterMs)
        if (outcome !== 'unfit') return
      }
    }
    const isStream = STREAM.test(path)
    const hasHadTurn = await turns.take({ personId, peerAddress: facts.peerAddress }, outgoing, (endTurn) => {
      render(endTurn)
      if (isStream) endTurn()
    })
    if (!hasHadTurn && !outgoing.destroyed) refuseBusy(incoming, outgoing, personId === undefined ? refusedAfterMs : 0)
  }

  function renderInTurn(incoming: IncomingMessage, { budget }: RequestFacts, headers: Readonly<Record<string, string>>) {
    const url = incoming.url ?? '/'
    const facts: RequestFacts = { peerAddress: undefined, isForwarded: false, url, budget }
    const rendering = turns.takeForAll(() =>
      renderDocument(url, headers, (request, response) => runWithFacts(facts, () => callNext(request, response, { next }))),
    )
    return rendering.catch((error: unknown) => {
      reportUnexpected('front door: page for everybody', error)
      return undefined
    })
  }

  function refuseBusy(incoming: IncomingMessage, outgoing: ServerResponse, afterMs: number): void {
    onRefused()
    const timer = setTimeout(() => refuse(incoming, outgoing, 503, { 'retry-after': String(RETRY_AFTER_S) }), afterMs)
    outgoing.once('close', () => clearTimeout(timer))
  }

  return {
    serve(incoming, outgoing, request) {
      answer(incoming, outgoing, request).catch((error: unknown) => {
        reportUnexpected('front door: page', error)
        outgoing.destroy()
      })
    },
  }
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  send(outgoing, renderRefusal({ status, headers }, refusedRequest(incoming)), incoming.method === 'HEAD')
}

function redirect(outgoing: ServerResponse, location: string): void {
  outgoing.writeHead(307, { ...REFUSAL_HEADERS, location, 'content-length': '0' }).end()
}

/**
 * Returns a function that counts a request and returns whether it is among the first of its second. Even a page from memory costs a tenth
 * of a millisecond: 150 connections that ask without pause would make the API wait for all of them in every turn of the event loop.
 */
function createPace({ networkMax, allMax }: { networkMax: number; allMax: number }): (peerAddress: string | undefined) => boolean {
  const counts = new Map<string, number>()
  let [second, total] = [0, 0]
  return (peerAddress = 'unknown') => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      counts.clear()
      second = now
      total = 0
    }
    const network = throttleNetwork(peerAddress)
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    return ++total <= allMax && count <= networkMax
  }
}

/**
 * How a document is answered to a reader without a session.
 *
 * - `stored`: it is the same for every such reader with this theme and language; rendered once and kept.
 * - `sign_in`: the place of an application, which shows nothing without a session; `location` leads to the sign-in page and back.
 * - `none`: there is no such page.
 * - `rendered`: only Next knows.
 */
type PublicAnswer = { kind: 'stored' | 'none' | 'rendered' } | { kind: 'sign_in'; location: string }

/** Next's own client asks for parts of pages with these; a browser that opens a page sends none of them. */
const PART_HEADERS = ['rsc', 'next-action', 'next-router-prefetch', 'next-router-state-tree', 'next-router-segment-prefetch']

/**
 * Decides how a request without a session is answered, from its method, headers and address alone. Most such addresses need no render: an
 * anonymous client that asks for whatever comes to mind must not cost 20 ms of the event loop each time.
 */
function publicAnswer({ method, headers, url = '/' }: IncomingMessage): PublicAnswer {
  const isDocument = (method === 'GET' || method === 'HEAD') && !PART_HEADERS.some((name) => headers[name] !== undefined)
  // An unreadable address is refused where it would go on to Next.
  if (!isDocument || !isReadable(url)) return { kind: 'rendered' }
  const { pathname, search, searchParams } = new URL(url, 'http://localhost')
  const [, first = '', second, ...rest] = pathname.split('/')
  if (pathname === '/') return { kind: 'sign_in', location: paths.signIn() }
  if (pathname === '/sign-in' && search === '') return { kind: 'stored' }
  if (first === 'docs') return { kind: isTopic(second, rest.length) ? (search === '' ? 'stored' : 'rendered') : 'none' }
  if (first === 'sign-in' || pathname.startsWith('/api/auth/') || pathname.startsWith('/api/back-office/')) return { kind: 'rendered' }
  if (PRODUCT_PLACES.has(first)) return { kind: 'none' }
  searchParams.delete('_rsc')
  const query = searchParams.toString()
  return { kind: 'sign_in', location: paths.signIn(query === '' ? pathname : `${pathname}?${query}`) }
}

/** Whether /docs/<topic> exists: the search, a guide or an operation. The guide of the first steps is /docs itself. */
function isTopic(topic: string | undefined, deeper: number): boolean {
  if (topic === undefined) return true
  if (deeper > 0 || topic === 'start') return false
  return topic === 'search' || isGuide(topic) || readReference().operations.has(topic)
}
