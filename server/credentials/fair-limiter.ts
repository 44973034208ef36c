import { createFairQueue } from './fair-queue.ts'

/** Where a piece of work waits, and what it has to wait for. */
export type Turn = {
  /** Reserved work has a queue of its own, which gets every second turn while anything waits in it. */
  isReserved: boolean
  /** Groups from the widest to the narrowest; at each level they take turns. Work of one whole path runs one at a time. */
  path: readonly string[]
  /** Work that shares a key starts at least `spacingMs` after the last work with that key ended. */
  paces: readonly { key: string; spacingMs: number }[]
}

/** Bounds work that costs much memory and processor time, and shares it fairly between the callers. */
type FairLimiter = {
  /**
   * Runs `work` when its turn comes. Returns undefined, without running it, when the queue is full (immediately, or
   * later when it is evicted for a shorter branch) and when its turn has not come within `waitMaxMs`.
   */
  run<Value>(turn: Turn, work: () => Promise<Value>): Promise<Value | undefined>
}

type FairLimiterOptions = {
  concurrency: number
  /** How many may wait: in each of the two queues, then in one group of each level of the paths. */
  levelMax: readonly number[]
  /** Work that has not started after this time never runs, because the caller has given up, or soon will. */
  waitMaxMs?: number
}

const WAIT_MAX_MS = 8_000

type Waiting = Turn & { lane: string; settle(mayRun: boolean): void }

/** Makes a limiter that runs at most `concurrency` at once in this process. Memory is bounded by `levelMax[0]` for each queue. */
export function createFairLimiter({ concurrency, levelMax, waitMaxMs = WAIT_MAX_MS }: FairLimiterOptions): FairLimiter {
  const queues = { reserved: createFairQueue<Waiting>(levelMax), open: createFairQueue<Waiting>(levelMax) }
  const runningLanes = new Set<string>()
  // Infinite while work with this key runs.
  const readyAtMs = new Map<string, number>()
  let running = 0
  let isReservedNext = true
  let wake: NodeJS.Timeout | undefined

  function takeNext(): Waiting | undefined {
    const isReady = ({ lane, paces }: Waiting) => !runningLanes.has(lane) && paces.every(({ key }) => !readyAtMs.has(key))
    const [first, second] = isReservedNext ? [queues.reserved, queues.open] : [queues.open, queues.reserved]
    const taken = first.take(isReady) ?? second.take(isReady)
    if (taken) isReservedNext = !taken.isReserved
    return taken
  }

  function startNext(): void {
    clearTimeout(wake)
    const nowMs = performance.now()
    let soonestMs = Infinity
    for (const [key, atMs] of readyAtMs) {
      if (atMs <= nowMs) readyAtMs.delete(key)
      else soonestMs = Math.min(soonestMs, atMs)
    }
    while (running < concurrency) {
      const next = takeNext()
      if (!next) break
      running++
      runningLanes.add(next.lane)
      for (const { key } of next.paces) readyAtMs.set(key, Infinity)
      next.settle(true)
    }
    const isAnybodyWaiting = queues.reserved.size() + queues.open.size() > 0
    if (isAnybodyWaiting && soonestMs < Infinity) wake = setTimeout(startNext, soonestMs - nowMs)
  }

  function finish({ lane, paces }: Waiting): void {
    running--
    runningLanes.delete(lane)
    for (const { key, spacingMs } of paces) readyAtMs.set(key, performance.now() + spacingMs)
    startNext()
  }

  return {
    async run(turn, work) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiting: Waiting = { ...turn, lane: JSON.stringify([turn.isReserved, ...turn.path]), settle: resolve }
      const queue = queues[turn.isReserved ? 'reserved' : 'open']
      queue.offer(waiting)?.settle(false)
      startNext()
      const limit = setTimeout(() => queue.remove(waiting) && resolve(false), waitMaxMs)
      const mayRun = await promise
      clearTimeout(limit)
      if (!mayRun) return undefined
      try {
        return await work()
      } finally {
        finish(waiting)
      }
    },
  }
}
