/** Bounds work that costs much memory and processor time, and shares it fairly between those who ask. */
export type WorkGate = {
  /**
   * Runs `work` when its turn comes. Work of one lane runs one at a time and at least `spacingMs` apart; lanes take turns,
   * so a lane that floods delays only itself. Gives undefined at once, without running, when the lane already has
   * `laneMax` waiting or the gate `waitingMax`.
   */
  run<Value>(lane: string, spacingMs: number, work: () => Promise<Value>): Promise<Value | undefined>
}

export type WorkGateOptions = { concurrency: number; laneMax: number; waitingMax: number }

type Lane = { name: string; waiting: (() => void)[]; isRunning: boolean; readyAtMs: number }

/** Makes a gate that runs at most `concurrency` at once in this process. */
export function createWorkGate({ concurrency, laneMax, waitingMax }: WorkGateOptions): WorkGate {
  // In order of turns: a lane that had its turn goes to the end.
  const lanes = new Map<string, Lane>()
  let running = 0
  let waiting = 0
  let wake: NodeJS.Timeout | undefined

  function laneOf(name: string): Lane {
    const known = lanes.get(name)
    if (known) return known
    const lane: Lane = { name, waiting: [], isRunning: false, readyAtMs: 0 }
    lanes.set(name, lane)
    return lane
  }

  function startNext(): void {
    clearTimeout(wake)
    const nowMs = performance.now()
    let soonestMs = Infinity
    for (const lane of [...lanes.values()]) {
      if (running >= concurrency) return
      if (lane.isRunning) continue
      if (lane.waiting.length === 0) {
        if (lane.readyAtMs <= nowMs) lanes.delete(lane.name)
      } else if (lane.readyAtMs <= nowMs) {
        lanes.delete(lane.name)
        lanes.set(lane.name, lane)
        lane.isRunning = true
        running++
        waiting--
        lane.waiting.shift()?.()
      } else soonestMs = Math.min(soonestMs, lane.readyAtMs)
    }
    if (soonestMs < Infinity) wake = setTimeout(startNext, soonestMs - nowMs)
  }

  return {
    async run(name, spacingMs, work) {
      const lane = laneOf(name)
      if (lane.waiting.length >= laneMax || waiting >= waitingMax) return undefined
      waiting++
      const turn = new Promise<void>((resolve) => lane.waiting.push(resolve))
      startNext()
      await turn
      try {
        return await work()
      } finally {
        running--
        lane.isRunning = false
        lane.readyAtMs = performance.now() + spacingMs
        startNext()
      }
    },
  }
}
