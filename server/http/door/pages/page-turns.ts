import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { throttleAddress, throttleNetwork } from '#server/credentials/address.ts'
import { createFairLimiter } from '#server/credentials/fair-limiter.ts'

/** The visitor of a page: the person of a valid session, otherwise an address. */
type Visitor = { personId: string | undefined; peerAddress: string | undefined }

/** Decides when a page is rendered. One per front door. */
export type PageTurns = {
  /**
   * Calls `render` when it is this visitor's turn; `render` gets a function that ends the turn early. Resolves with true once the turn has
   * ended. False: `render` was not called, because too many wait, the wait was too long, or the client has gone.
   */
  take(visitor: Visitor, outgoing: ServerResponse, render: (endTurn: () => void) => void): Promise<boolean>
  /** Renders what is kept for everybody without a session; it takes turns with them. Undefined: it was not its turn in time. */
  takeForAll<Value>(render: () => Promise<Value>): Promise<Value | undefined>
}

export type PageTurnOptions = {
  concurrency: number
  /** How many of these without a session. A render is 10 to 50 ms of the event loop, and the API runs between its parts. */
  anonymousMax: number
  /** How many of one person. */
  personMax: number
  /** How many may wait: with a session and without one, then of one network, then of one address. A person counts as a network. */
  waitingMax: readonly number[]
  /** How long one may wait. */
  waitMs: number
  /**
   * How long a turn lasts at most. A page that takes longer waits for the database, for the check of a password or for a slow
   * reader, and costs no processor time meanwhile: a client that reads nothing must not hold a place.
   */
  turnMs: { person: number; anonymous: number }
  /** How long renders without a session pause after one of them, as a multiple of the time for which the event loop worked during it. */
  pauseFactor: number
}

const DEFAULTS: PageTurnOptions = {
  concurrency: 8,
  anonymousMax: 2,
  personMax: 4,
  waitingMax: [120, 40, 20],
  waitMs: 5_000,
  turnMs: { person: 1_000, anonymous: 250 },
  pauseFactor: 2,
}

/** Makes the turns of one front door. People with a session wait in a queue of their own and have the larger part of the places. */
export function createPageTurns(options: Partial<PageTurnOptions> = {}): PageTurns {
  const { concurrency, anonymousMax, personMax, waitingMax, waitMs, turnMs, pauseFactor } = { ...DEFAULTS, ...options }
  const limiter = createFairLimiter({
    concurrency,
    openMax: anonymousMax,
    pathMax: personMax,
    levelMax: waitingMax,
    waitMaxMs: waitMs,
  })

  /** Runs a render without a session, which others follow at such a distance that they leave two thirds of the event loop to the API. */
  async function atDistance<Value>(render: () => Promise<Value>): Promise<Value> {
    const before = performance.eventLoopUtilization()
    try {
      return await render()
    } finally {
      const activeMs = performance.eventLoopUtilization(before).active
      limiter.pauseOpen(Math.min(activeMs, turnMs.anonymous) * pauseFactor)
    }
  }

  return {
    async take({ personId, peerAddress = 'unknown' }, outgoing, render) {
      const leaving = new AbortController()
      const leave = () => leaving.abort()
      outgoing.once('close', leave)
      const isReserved = personId !== undefined
      const path = isReserved ? [personId] : [throttleNetwork(peerAddress), throttleAddress(peerAddress)]
      const done = await limiter.run({ isReserved, path, paces: [], signal: leaving.signal }, async () => {
        // From now on `endOf` listens. One listener fewer: Next adds many to this event, and Node warns of the eleventh.
        outgoing.off('close', leave)
        if (isReserved) await endOf(outgoing, turnMs.person, render)
        else await atDistance(() => endOf(outgoing, turnMs.anonymous, render))
        return true
      })
      outgoing.off('close', leave)
      return done ?? false
    },
    takeForAll: (render) => limiter.run({ isReserved: false, path: ['everybody'], paces: [] }, () => atDistance(render)),
  }
}

/** Renders, and resolves when the answer is written or its client gone, when the renderer says so, or after `limitMs`. */
function endOf(outgoing: ServerResponse, limitMs: number, render: (endTurn: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      outgoing.off('finish', end)
      outgoing.off('close', end)
      resolve()
    }
    const timer = setTimeout(end, limitMs)
    outgoing.once('finish', end)
    outgoing.once('close', end)
    render(end)
  })
}
