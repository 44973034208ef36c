/**
 * Measures the work of this thread in CPU time, which does not grow when other processes use the machine. `mostMs` is the most that it took
 * between two turns of the event loop, in milliseconds: how long the loop would have been blocked on a machine of its own.
 */
export function watchEventLoop(): { stop(): { mostMs: number } } {
  let mostMs = 0
  let beforeMs = threadCpuMs()
  const look = () => {
    const nowMs = threadCpuMs()
    mostMs = Math.max(mostMs, nowMs - beforeMs)
    beforeMs = nowMs
  }
  const timer = setInterval(look, 5)
  return {
    stop() {
      clearInterval(timer)
      look()
      return { mostMs }
    },
  }
}

/** The CPU time that this thread has used so far, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
