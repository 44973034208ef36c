import type { FailureTable } from '#server/operators/failure-table.ts'

/** The one code that is known, and the statuses that say themselves why. */
export const ORANGE_CM_FAILURES: FailureTable = {
  // On a payout it is our own balance that is short.
  60019: 'insufficientFunds',
  CANCELLED: 'cancelledByCustomer',
  EXPIRED: 'operatorTimeout',
}
