import type { FailureTable } from '#server/operators/failure-table.ts'

/** Airtel's codes that end a transaction: collections DP008…, disbursements DP009…, customers DP022…. */
export const AIRTEL_FAILURES: FailureTable = {
  // The customer entered a wrong PIN, and may begin again.
  DP00800001002: 'cancelledByCustomer',
  DP00800001003: 'other',
  DP00800001004: 'other',
  // Airtel's label is "invalid id", its text says that no PIN was entered.
  DP00800001005: 'operatorTimeout',
  DP00800001007: 'insufficientFunds',
  DP00800001008: 'cancelledByCustomer',
  DP00800001009: 'other',
  DP00800001010: 'notRegistered',
  DP00800001024: 'operatorTimeout',
  DP00800001029: 'operatorTimeout',
  DP00900001003: 'other',
  DP00900001004: 'other',
  DP00900001005: 'other',
  // Our own balance.
  DP00900001007: 'insufficientFunds',
  DP00900001009: 'other',
  DP00900001010: 'other',
  DP00900001012: 'invalidNumber',
  DP00900001013: 'other',
  // Only if an enquiry reports it together with TF: a submission that ends with it has an unknown outcome.
  DP00900001014: 'operatorTimeout',
  DP02200000002: 'notRegistered',
}

/** `result_code` of a number that does not have nine digits, regardless of the response code. */
export const INVALID_MSISDN = '521002'

/** The id is known: `Duplicate exttRID`. Codes, and the deprecated `result_code`. */
export const KNOWN_ID = new Set(['DP00900001011', 'DP00900001017', '521050'])

/** Airtel does not know the id. */
export const UNKNOWN_ID = new Set(['DP00800001025', 'DP00900001015'])

/**
 * Codes that say nothing final about a submission: ambiguous, timed out, a signature or credentials that Airtel does not accept, and those
 * of not being found.
 */
export const UNDECIDED = new Set([
  'DP00800001000',
  'DP00800001024',
  'DP00800001025',
  'DP00800001026',
  'DP00900001000',
  'DP00900001014',
  'DP00900001015',
  'DP00900001016',
  'DP00900001018',
  'DP00900001019',
])

/** Under way: Airtel has the transaction. */
export const UNDER_WAY = new Set(['DP00800001006', 'DP00900001006'])
