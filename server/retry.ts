import { setTimeout as delay } from 'node:timers/promises'

/** How the pauses between attempts grow: `firstMs`, then `factor` times as long (default 2), up to `maxMs`, each with jitter. */
export type Backoff = { firstMs: number; maxMs: number; factor?: number }

type RetryOptions = {
  attemptsMax: number
  backoff: Backoff
  /** False for an error that another attempt would meet again: it is thrown immediately. Default: every error is retried. */
  isRetryable?(error: unknown): boolean
  random?(): number
}

const JITTER = 0.1

/**
 * Returns a duration of up to a tenth more or less, so that what failed or was sent together is not repeated together.
 * `random` returns a number in [0, 1).
 */
export function withJitterMs(durationMs: number, random: () => number = Math.random): number {
  return durationMs * (1 - JITTER + 2 * JITTER * random())
}

/** Returns how long to wait after the failure of this attempt; the first attempt is 1. */
export function backoffMs(attempt: number, { firstMs, maxMs, factor = 2 }: Backoff, random: () => number = Math.random): number {
  return withJitterMs(Math.min(maxMs, firstMs * factor ** (attempt - 1)), random)
}

/** Runs `work` until it succeeds, with a growing pause in between. Throws the error of the last attempt. */
export async function retryWithBackoff<Value>(work: () => Promise<Value>, options: RetryOptions): Promise<Value> {
  const { attemptsMax, backoff, isRetryable = () => true, random } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attemptsMax || !isRetryable(error)) throw error
    }
    await delay(backoffMs(attempt, backoff, random))
  }
}
