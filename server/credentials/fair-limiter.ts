import { createFairQueue } from './fair-queue.ts'

/** The queue of a piece of work, and what it waits for. */
export type Turn = {
  /** Reserved work has a queue of its own, which gets every second turn while anything waits in it. */
  isReserved: boolean
  /** Groups from the widest to the narrowest; at each level they take turns. `laneMax` bounds what runs of one whole path. */
  path: readonly string[]
  /** Work that shares a key starts at least `spacingMs` after the last work with that key ended. */
  paces: readonly { key: string; spacingMs: number }[]
  /** Aborted when nobody waits for the work any more: it then leaves the queue, and never runs. */
  signal?: AbortSignal
}

/** Bounds work that costs much memory and processor time, and shares it fairly between the callers. */
type FairLimiter = {
  /**
   * Runs `work` when its turn comes. Returns undefined, without running it, when the queue is full (immediately, or
   * later when it is evicted for a shorter branch), when its turn has not come within `waitMaxMs`, and when its signal is aborted first.
   */
  run<Value>(turn: Turn, work: () => Promise<Value>): Promise<Value | undefined>
}

type FairLimiterOptions = {
  concurrency: number
  /** How much of it work that is not reserved may use. Default: all. */
  openMax?: number
  /** How much of one whole path runs at once. Default: one. */
  laneMax?: number
  /** How many may wait: in each of the two queues, then in one group of each level of the paths. */
  levelMax: readonly number[]
  /** Work that has not started after this time never runs, because the caller has given up, or soon will. */
  waitMaxMs?: number
}

const WAIT_MAX_MS = 8_000

type Waiting = Turn & { lane: string; settle(mayRun: boolean): void }

/** Makes a limiter that runs at most `concurrency` at once in this process. Memory is bounded by `levelMax[0]` for each queue. */
export function createFairLimiter(options: FairLimiterOptions): FairLimiter {
  const { concurrency, openMax = concurrency, laneMax = 1, levelMax, waitMaxMs = WAIT_MAX_MS } = options
  const queues = { reserved: createFairQueue<Waiting>(levelMax), open: createFairQueue<Waiting>(levelMax) }
  // Infinite while work with this key runs.
  const readyAtMs = new Map<string, number>()
  const running = createRunning({ openMax, laneMax })
  let isReservedNext = true
  let wake: NodeJS.Timeout | undefined

  function takeNext(): Waiting | undefined {
    const isReady = (waiting: Waiting) => running.hasPlaceFor(waiting) && waiting.paces.every(({ key }) => !readyAtMs.has(key))
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
    while (running.count() < concurrency) {
      const next = takeNext()
      if (!next) break
      running.begin(next)
      for (const { key } of next.paces) readyAtMs.set(key, Infinity)
      next.settle(true)
    }
    const isAnybodyWaiting = queues.reserved.size() + queues.open.size() > 0
    if (isAnybodyWaiting && soonestMs < Infinity) wake = setTimeout(startNext, soonestMs - nowMs)
  }

  function finish(ended: Waiting): void {
    running.end(ended)
    for (const { key, spacingMs } of ended.paces) readyAtMs.set(key, performance.now() + spacingMs)
    startNext()
  }

  return {
    async run(turn, work) {
      if (turn.signal?.aborted) return undefined
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiting: Waiting = { ...turn, lane: JSON.stringify([turn.isReserved, ...turn.path]), settle: resolve }
      const queue = queues[turn.isReserved ? 'reserved' : 'open']
      queue.offer(waiting)?.settle(false)
      startNext()
      const leave = () => queue.remove(waiting) && resolve(false)
      const limit = setTimeout(leave, waitMaxMs)
      turn.signal?.addEventListener('abort', leave)
      const mayRun = await promise
      clearTimeout(limit)
      turn.signal?.removeEventListener('abort', leave)
      if (!mayRun) return undefined
      try {
        return await work()
      } finally {
        finish(waiting)
      }
    },
  }
}

type Runs = Pick<Waiting, 'lane' | 'isReserved'>

/** Counts what runs: all of it, of the open queue, and of each lane. */
function createRunning({ openMax, laneMax }: { openMax: number; laneMax: number }) {
  const lanes = new Map<string, number>()
  let [all, open] = [0, 0]
  return {
    count: () => all,
    hasPlaceFor: ({ lane, isReserved }: Runs) => (isReserved || open < openMax) && (lanes.get(lane) ?? 0) < laneMax,
    begin({ lane, isReserved }: Runs): void {
      all++
      if (!isReserved) open++
      lanes.set(lane, (lanes.get(lane) ?? 0) + 1)
    },
    end({ lane, isReserved }: Runs): void {
      all--
      if (!isReserved) open--
      const left = (lanes.get(lane) ?? 1) - 1
      if (left > 0) lanes.set(lane, left)
      else lanes.delete(lane)
    },
  }
}
