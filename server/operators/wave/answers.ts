import { type AnswerTable, ended, OUR_FAULT, refused, UNKNOWN } from '#server/operators/answer-table.ts'

/** Wave's codes: of a refused request, of `last_payment_error` and of `payout_error`. */
export const WAVE_ANSWERS: AnswerTable = {
  'request-validation-error': refused('other'),
  // Of a checkout: the customer's balance. Of a payout: our own wallet's.
  'insufficient-funds': refused('insufficientFunds'),
  'recipient-account-inactive': refused('notRegistered'),
  'recipient-limit-exceeded': refused('other'),
  'recipient-account-blocked': refused('other'),
  'recipient-minor': refused('other'),
  'country-mismatch': refused('other'),
  'currency-mismatch': refused('other'),
  'invalid-aggregated-merchant-id': refused('other'),
  'aggregated-merchant-required': refused('other'),
  // The key was used with another body: what that one became is not known.
  'idempotency-mismatch': UNKNOWN,
  // Our API key or our wallet.
  'missing-auth-header': OUR_FAULT,
  'invalid-auth': OUR_FAULT,
  'api-key-not-provided': OUR_FAULT,
  'no-matching-api-key': OUR_FAULT,
  'api-key-revoked': OUR_FAULT,
  'invalid-wallet': OUR_FAULT,
  'disabled-wallet': OUR_FAULT,
  'unauthorized-wallet': OUR_FAULT,
  'authorization-error': OUR_FAULT,
  // Why a try to pay a checkout failed, and why a payout ended.
  cancelled: ended('cancelledByCustomer'),
  reversed: ended('other'),
  'payer-mobile-mismatch': ended('invalidNumber'),
  'service-unavailable': ended('operatorTimeout'),
  'blocked-account': ended('other'),
  'cross-border-payment-not-allowed': ended('other'),
  'customer-age-restricted': ended('other'),
  'kyb-limits-exceeded': ended('other'),
  'payment-failure': ended('other'),
}
