import type { IncomingMessage, ServerResponse } from 'node:http'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type RequestOrigin, runWithOrigin } from '../request/request-origin.ts'
import { createPageMemory } from './page-memory.ts'
import { createPageTurns, type PageTurnOptions } from './page-turns.ts'
import { publicAnswer } from './public-pages.ts'
import { REFUSAL_HEADERS, refusedRequest, renderRefusal } from './refusal.ts'
import { callNext, type Fallback, send } from './refuse-before-next.ts'
import { renderDocument } from './render-document.ts'

export type PageOptions = {
  /** Returns the id of the person whose session these cookies carry. Without it nothing is known of sessions: every page is rendered. */
  readVisitor?: (cookies: string | undefined) => Promise<string | undefined>
  /** Whether the file at this path is one of the build's, which Next sends without rendering anything. Default: none is. */
  isFile?: (path: string) => boolean
  turns?: Partial<PageTurnOptions>
  /** How long a 503 is held back from a client without a session: one that asks again at once would fill the event loop with refusals. */
  refusedAfterMs?: number
}

export type PageServer = {
  /** Next's handler itself, for what limits itself. */
  next: Fallback
  /** Answers a request for a page, a part of one, or its data. `body` is what the request was found to carry. */
  serve(incoming: IncomingMessage, outgoing: ServerResponse, request: { facts: RequestOrigin; body?: Uint8Array | undefined }): void
}

/** The wait announced to a client without a turn, in seconds. */
const RETRY_AFTER_S = 2
const REFUSED_AFTER_MS = 500
/** Files beside the pages, and the streams of live pages: none renders anything. */
const FILES = new Set(['/robots.txt', '/icon.svg'])
const STREAM = /^\/api\/back-office\/[^/]+\/live$/

/**
 * Decides whether a page is answered from memory, refused without a render, or rendered by Next, and then when. The API shares the event
 * loop with the pages: no client may fill it with renders, least of all one that is not signed in.
 */
export function createPageServer(next: Fallback, options: PageOptions & { onRefused(): void }): PageServer {
  const { readVisitor, isFile = () => false, refusedAfterMs = REFUSED_AFTER_MS, onRefused } = options
  const turns = createPageTurns(options.turns)
  const memory = createPageMemory()

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse, { facts, body }: Parameters<PageServer['serve']>[2]) {
    const path = incoming.url?.split('?', 1)[0] ?? '/'
    const render = (endTurn: () => void) => void runWithOrigin(facts, () => callNext(incoming, outgoing, { next, body, endTurn }))
    if (FILES.has(path) || isFile(path)) return render(() => undefined)
    const personId = await readVisitor?.(incoming.headers.cookie)
    if (readVisitor && personId === undefined) {
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

  function renderInTurn(incoming: IncomingMessage, { budget }: RequestOrigin, headers: Readonly<Record<string, string>>) {
    const url = incoming.url ?? '/'
    const facts: RequestOrigin = { peerAddress: undefined, isForwarded: false, url, budget }
    const rendering = turns.takeForAll(() =>
      renderDocument(url, headers, (request, response) => runWithOrigin(facts, () => callNext(request, response, { next }))),
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
    next,
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
