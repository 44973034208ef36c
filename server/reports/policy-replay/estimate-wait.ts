import type { ObservedWait } from '#lib/policy-replay.ts'

/** With fewer decided items of a kind, a median says nothing. */
const OBSERVED_MIN = 5

/**
 * Estimates how long an item waits that needs `needed` approvals: the median of the decided items that needed as many; if they are fewer
 * than five, the average of all medians per approval, times the approvals. Null if nothing was decided.
 */
export function estimateWaitMs(observed: readonly ObservedWait[], needed: number): number | null {
  const same = observed.find((each) => each.needed === needed)
  if (same && same.count >= OBSERVED_MIN) return Math.round(same.medianMs)
  const count = observed.reduce((sum, each) => sum + each.count, 0)
  if (count === 0) return null
  const perApprovalMs = observed.reduce((sum, each) => sum + (each.medianMs / each.needed) * each.count, 0) / count
  return Math.round(perApprovalMs * needed)
}
