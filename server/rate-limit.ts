type RateLimitOptions = {
  /** How many at once after a pause. */
  burst: number
  perSecond: number
  /** A monotonic time in milliseconds. */
  nowMs(): number
}

/** The rest of an allowance after one was taken from it, or was not. */
export type Taken = {
  /** Undefined if it was taken, otherwise the milliseconds until one is left. */
  retryAfterMs: number | undefined
  /** How many can still be taken now. */
  left: number
  /** The milliseconds until the allowance is full again, if nothing more is taken. */
  fullAfterMs: number
}

export type RateLimit = {
  /** Takes one from the key's allowance, unless none is left. */
  take(key: string): Taken
}

/** Above this many keys, keys whose allowance is full again are removed. */
const KEYS_MAX = 10_000

/** An allowance per key that refills steadily, in the memory of this process. */
export function createRateLimit({ burst, perSecond, nowMs }: RateLimitOptions): RateLimit {
  const allowances = new Map<string, { left: number; atMs: number }>()

  function leftOf(allowance: { left: number; atMs: number }, atMs: number): number {
    return Math.min(burst, allowance.left + ((atMs - allowance.atMs) / 1_000) * perSecond)
  }

  return {
    take(key) {
      const atMs = nowMs()
      if (allowances.size >= KEYS_MAX) {
        for (const [known, allowance] of allowances) if (leftOf(allowance, atMs) >= burst) allowances.delete(known)
      }
      const known = allowances.get(key)
      const left = known ? leftOf(known, atMs) : burst
      const isTaken = left >= 1
      const rest = isTaken ? left - 1 : left
      if (isTaken) allowances.set(key, { left: rest, atMs })
      return {
        retryAfterMs: isTaken ? undefined : ((1 - left) / perSecond) * 1_000,
        left: Math.floor(rest),
        fullAfterMs: ((burst - rest) / perSecond) * 1_000,
      }
    },
  }
}
