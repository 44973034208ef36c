/** Why a collect cannot be refunded now; the SQL function `refund_obstacle` returns these. */
const REFUND_OBSTACLES = ['not_found', 'not_a_collect', 'not_successful', 'contradicted', 'adjusted'] as const
export type RefundObstacle = (typeof REFUND_OBSTACLES)[number]

/** Whether a reason for which a refund is refused is one of the collect. */
export function isRefundObstacle(reason: string): reason is RefundObstacle {
  return REFUND_OBSTACLES.some((obstacle) => obstacle === reason)
}
