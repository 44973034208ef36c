/** Why a collect cannot be refunded now; the SQL function `refund_obstacle` returns these. */
const REFUND_OBSTACLES = ['not_found', 'not_a_collect', 'not_successful', 'contradicted', 'adjusted'] as const
export type RefundObstacle = (typeof REFUND_OBSTACLES)[number]

/** Whether a reason for which a refund is refused is one of the collect. */
export function isRefundObstacle(reason: string): reason is RefundObstacle {
  return REFUND_OBSTACLES.some((obstacle) => obstacle === reason)
}

/** How a transaction takes part in refunds: it is one, or all or a part of it is returned or being returned. */
export type RefundMark = 'refund' | 'refunded' | 'partly_refunded'

/** The choices of the filter: refunds, and collects of which something is returned. */
export const REFUND_FILTERS = ['refund', 'refunded'] as const

/** The mark of a transaction, in hundredths; null for one that takes no part in refunds. A refund that failed returns nothing. */
export function refundMark(amountMinor: bigint, facts: { refundOf: string | null; refundedMinor: bigint } | undefined): RefundMark | null {
  if (!facts) return null
  if (facts.refundOf !== null) return 'refund'
  if (facts.refundedMinor === 0n) return null
  return facts.refundedMinor >= amountMinor ? 'refunded' : 'partly_refunded'
}
