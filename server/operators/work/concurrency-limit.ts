import { err, ok, type Result } from '#lib/result.ts'

type ConcurrencyLimitOptions = {
  /** Concurrent work, of all keys together. */
  slotsMax: number
  /** Of one key, so that slots remain for the others. */
  perKeyMax: number
  /** Work that has waited this long is refused. */
  waitMsMax: number
  /** Of one key: more than this many waiting are refused immediately. */
  waitingMax: number
}

export type ConcurrencyLimit = {
  /** Runs `work` when a slot is free, the keys taking turns. `busy`: it never started. */
  run<Value>(key: string, work: () => Promise<Value>): Promise<Result<Value, 'busy'>>
}

type Waiter = { begin(): void }
type Lane = { underWay: number; waiting: Set<Waiter> }

/** Limits how much runs at once, and how much of it one key may use. */
export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  // In order of turns: the first key that may begin does, and goes to the end.
  const lanes = new Map<string, Lane>()
  let underWay = 0

  function laneOf(key: string): Lane {
    const known = lanes.get(key)
    if (known) return known
    const lane: Lane = { underWay: 0, waiting: new Set() }
    lanes.set(key, lane)
    return lane
  }

  function beginNext(): void {
    while (underWay < options.slotsMax) {
      const next = findNext()
      if (!next) return
      next.begin()
    }
  }

  function findNext(): Waiter | undefined {
    for (const [key, lane] of lanes) {
      const [waiter] = lane.waiting
      if (!waiter || lane.underWay >= options.perKeyMax) continue
      lane.waiting.delete(waiter)
      lanes.delete(key)
      lanes.set(key, lane)
      return waiter
    }
    return undefined
  }

  function enter(key: string): Promise<boolean> {
    const lane = laneOf(key)
    if (lane.waiting.size >= options.waitingMax) return Promise.resolve(false)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        begin() {
          clearTimeout(timer)
          underWay++
          lane.underWay++
          resolve(true)
        },
      }
      const timer = setTimeout(() => {
        lane.waiting.delete(waiter)
        forgetIfIdle(key, lane)
        resolve(false)
      }, options.waitMsMax)
      lane.waiting.add(waiter)
      beginNext()
    })
  }

  function leave(key: string): void {
    const lane = laneOf(key)
    underWay--
    lane.underWay--
    forgetIfIdle(key, lane)
    beginNext()
  }

  function forgetIfIdle(key: string, lane: Lane): void {
    if (lane.underWay === 0 && lane.waiting.size === 0) lanes.delete(key)
  }

  return {
    async run(key, work) {
      if (!(await enter(key))) return err('busy')
      try {
        return ok(await work())
      } finally {
        leave(key)
      }
    },
  }
}
