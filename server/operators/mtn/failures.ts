import type { FailureTable } from '#server/operators/failure-table.ts'

/** The reasons of MTN's error table, for both directions. */
export const MTN_FAILURES: FailureTable = {
  // On a payout it is our own balance that is short, or the receiver's limit.
  NOT_ENOUGH_FUNDS: 'insufficientFunds',
  APPROVAL_REJECTED: 'cancelledByCustomer',
  PAYMENT_NOT_APPROVED: 'cancelledByCustomer',
  TRANSACTION_CANCELED: 'cancelledByCustomer',
  EXPIRED: 'operatorTimeout',
  // The customer entered no PIN within five minutes.
  COULD_NOT_PERFORM_TRANSACTION: 'operatorTimeout',
  PAYER_NOT_FOUND: 'notRegistered',
  PAYEE_NOT_FOUND: 'notRegistered',
  PAYER_LIMIT_REACHED: 'other',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'other',
  SENDER_ACCOUNT_NOT_ACTIVE: 'other',
  NOT_ALLOWED: 'other',
  INTERNAL_PROCESSING_ERROR: 'other',
  SERVICE_UNAVAILABLE: 'other',
}
