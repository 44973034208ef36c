import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How many parts of its audit chain each application may still check. */
    chainCheckLimit: RateLimit
  }
}

/** A part is some tenths of a second of reading and hashing: one person who checks again and again must not slow down the others. */
const BURST = 60
const PER_SECOND = 1

/** Takes one part from an application's allowance; false if none is left. */
export function takeChainCheck(applicationId: string): boolean {
  const limit = processWide('chainCheckLimit', () =>
    createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }),
  )
  return limit.take(applicationId) === undefined
}
