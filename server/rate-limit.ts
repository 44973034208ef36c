type RateLimitOptions = {
  /** How many at once after a pause. */
  burst: number
  perSecond: number
  /** A monotonic time in milliseconds. */
  nowMs(): number
}

export type RateLimit = {
  /** Takes one from the key's allowance. Returns undefined if it was taken, otherwise the milliseconds until one is left. */
  take(key: string): number | undefined
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
      if (left < 1) return ((1 - left) / perSecond) * 1_000
      allowances.set(key, { left: left - 1, atMs })
      return undefined
    },
  }
}
