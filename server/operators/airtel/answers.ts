import { type AnswerTable, ended, KNOWN, OUR_FAULT, refused, UNKNOWN } from '#server/operators/answer-table.ts'

/**
 * Airtel's codes: collections DP008…, disbursements DP009…, customers DP022…, the router's, and those of `result_code`, which is deprecated and
 * read only where an answer has no `response_code`.
 */
export const AIRTEL_ANSWERS: AnswerTable = {
  DP00800001000: UNKNOWN,
  // The customer entered a wrong PIN, and may begin again.
  DP00800001002: refused('cancelledByCustomer'),
  DP00800001003: refused('other'),
  DP00800001004: refused('other'),
  // Airtel's label is "invalid id", its text says that no PIN was entered.
  DP00800001005: ended('operatorTimeout'),
  DP00800001007: refused('insufficientFunds'),
  DP00800001008: refused('cancelledByCustomer'),
  DP00800001009: refused('other'),
  DP00800001010: refused('notRegistered'),
  DP00800001024: ended('operatorTimeout'),
  DP00800001026: OUR_FAULT,
  DP00800001029: ended('operatorTimeout'),
  DP00900001000: UNKNOWN,
  DP00900001003: refused('other'),
  DP00900001004: refused('other'),
  DP00900001005: refused('other'),
  // Our own balance.
  DP00900001007: refused('insufficientFunds'),
  DP00900001009: refused('other'),
  DP00900001010: refused('other'),
  DP00900001011: KNOWN,
  DP00900001012: refused('invalidNumber'),
  // Any bad field. Its `result_code` or its message says which one (read-transfer.ts).
  DP00900001013: refused('other'),
  // Timed out: final only if a status query reports it together with TF.
  DP00900001014: ended('operatorTimeout'),
  DP00900001016: OUR_FAULT,
  DP00900001017: KNOWN,
  DP00900001018: OUR_FAULT,
  DP00900001019: OUR_FAULT,
  DP02200000002: refused('notRegistered'),
  521002: refused('invalidNumber'),
  521050: KNOWN,
  // Ambiguous: Airtel asks for a status query.
  ESB000001: UNKNOWN,
  ESB000004: UNKNOWN,
  ESB000008: UNKNOWN,
  ESB000014: UNKNOWN,
  '0000900': UNKNOWN,
  // "External Transaction ID already exists."
  ESB000041: KNOWN,
  // The PIN cannot be decrypted, or is wrong.
  ROUTER114: OUR_FAULT,
  ROUTER115: OUR_FAULT,
  ROUTER116: OUR_FAULT,
}

/** Airtel does not know the id. */
export const UNKNOWN_ID = new Set(['DP00800001025', 'DP00900001015'])

/** In progress: Airtel has the transaction. */
export const UNDER_WAY = new Set(['DP00800001006', 'DP00900001006'])
