import { readFileSync } from 'node:fs'
import { childrenOf } from './watch-children.ts'

/** No process of the service may hold more, in MB. */
export const MEMORY_LIMIT_MB = 350
const SAMPLE_EVERY_MS = 100
/** Whom a process of the service started is looked up this often. */
const FAMILY_EVERY = 20

type Peak = { atMs: number; megabytes: number; pid: number }

export type MemoryWatch = {
  /** Each time that the limit was passed: the highest reading until it was kept again. */
  excesses: readonly Peak[]
  readonly highest: Peak
  /** The largest process at the last sample. */
  readonly latest: Peak
  samples(): number
  stop(): void
}

/** Samples the resident memory of a process and of those that it started, without PostgreSQL. `pidOf` is asked each time: it may be replaced. */
export function watchMemory(pidOf: () => number | undefined): MemoryWatch {
  const excesses: Peak[] = []
  let highest: Peak = { atMs: Date.now(), megabytes: 0, pid: 0 }
  let latest = highest
  let samples = 0
  let family: number[] = []
  const current = new Map<number, Peak>()
  const timer = setInterval(() => {
    const main = pidOf()
    if (main === undefined) return
    if (samples % FAMILY_EVERY === 0 || !family.includes(main)) family = [main, ...childrenOf(main).map((child) => child.pid)]
    samples++
    latest = { atMs: Date.now(), megabytes: 0, pid: main }
    for (const pid of family) {
      const reading = { atMs: Date.now(), megabytes: residentMegabytes(pid), pid }
      if (reading.megabytes > latest.megabytes) latest = reading
      if (reading.megabytes > highest.megabytes) highest = reading
      const known = current.get(pid)
      if (reading.megabytes <= MEMORY_LIMIT_MB) {
        if (known) current.delete(pid)
      } else if (!known) {
        excesses.push(reading)
        current.set(pid, reading)
      } else if (reading.megabytes > known.megabytes) Object.assign(known, reading)
    }
  }, SAMPLE_EVERY_MS)
  return {
    excesses,
    get highest() {
      return highest
    },
    get latest() {
      return latest
    },
    samples: () => samples,
    stop: () => clearInterval(timer),
  }
}

/** Resident memory of a process in MB; 0 when there is none. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}
