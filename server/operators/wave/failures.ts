import type { FailureTable } from '#server/operators/failure-table.ts'

/** The codes of `last_payment_error` and of `payout_error`. */
export const WAVE_FAILURES: FailureTable = {
  // Of a checkout: the customer's balance. Of a payout: our own wallet's.
  'insufficient-funds': 'insufficientFunds',
  'payer-mobile-mismatch': 'invalidNumber',
  'recipient-account-inactive': 'notRegistered',
  'service-unavailable': 'operatorTimeout',
  cancelled: 'cancelledByCustomer',
  'blocked-account': 'other',
  'cross-border-payment-not-allowed': 'other',
  'customer-age-restricted': 'other',
  'kyb-limits-exceeded': 'other',
  'payment-failure': 'other',
  'recipient-limit-exceeded': 'other',
  'recipient-account-blocked': 'other',
  'recipient-minor': 'other',
  'country-mismatch': 'other',
  'currency-mismatch': 'other',
  'invalid-aggregated-merchant-id': 'other',
  'aggregated-merchant-required': 'other',
}

/** Those with which a payout may be refused before it exists. */
export const REFUSALS: ReadonlySet<string> = new Set([
  'insufficient-funds',
  'recipient-limit-exceeded',
  'recipient-account-blocked',
  'recipient-account-inactive',
  'recipient-minor',
  'country-mismatch',
  'currency-mismatch',
])
