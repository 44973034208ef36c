import { withJitterMs } from '#server/retry.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** How long after each query the next one is made; the last one repeats. In milliseconds. */
export const POLL_DELAYS_MS: readonly number[] = [
  2 * SECOND,
  4 * SECOND,
  8 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  40 * MINUTE,
  60 * MINUTE,
]

/** Milliseconds until the next query after `queriesMade` of them. `random` returns a number in [0, 1). */
export function pollDelayMs(queriesMade: number, random: () => number, delaysMs: readonly number[] = POLL_DELAYS_MS): number {
  const delayMs = delaysMs[Math.min(queriesMade, delaysMs.length - 1)] ?? 0
  return Math.round(withJitterMs(delayMs, random))
}

/** Milliseconds until a reference that the operator does not know is sent again: none for the first two times, then longer ones. */
export function resubmitDelayMs(submissionsMade: number, random: () => number, delaysMs: readonly number[] = POLL_DELAYS_MS): number {
  return submissionsMade < 3 ? 0 : pollDelayMs(submissionsMade, random, delaysMs)
}

/** The index in the schedule beyond which the pauses of an unreachable operator do not grow: five minutes. */
const UNREACHABLE_INDEX_MAX = 7

/** Milliseconds until a submission that was not sent is retried: no money is at risk, so the pauses stay short. */
export function unsentDelayMs(submissionsMade: number, random: () => number, delaysMs: readonly number[] = POLL_DELAYS_MS): number {
  return pollDelayMs(Math.min(Math.max(0, submissionsMade - 1), UNREACHABLE_INDEX_MAX), random, delaysMs)
}
