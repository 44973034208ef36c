import { type AnswerTable, OUR_FAULT, refused } from '#server/operators/answer-table.ts'

/** Sonatel's codes of a refusal, and the statuses of a payment or a cash-in that has failed. */
export const SONATEL_ANSWERS: AnswerTable = {
  2000: refused('notRegistered'),
  2001: refused('invalidNumber'),
  // Our own PIN must be changed, is wrong, or our account is blocked. Each further try would bring the block nearer.
  2010: OUR_FAULT,
  2011: OUR_FAULT,
  2012: OUR_FAULT,
  2013: OUR_FAULT,
  2020: refused('insufficientFunds'),
  // On a cash-in it is our own balance.
  2021: refused('insufficientFunds'),
  2022: refused('other'),
  2023: refused('other'),
  2024: refused('other'),
  2025: refused('other'),
  2041: refused('other'),
  // We are not authorised.
  2042: OUR_FAULT,
  2043: refused('other'),
  4004: refused('operatorTimeout'),
  4099: refused('other'),
  FAILED: refused('other'),
  // Nothing but the status tells that the customer turned it down.
  REJECTED: refused('cancelledByCustomer'),
  CANCELLED: refused('cancelledByCustomer'),
}

/** About our own PIN: no call with it is made after one of these. */
export const PIN_REFUSALS: ReadonlySet<string> = new Set(['2010', '2011', '2012', '2013'])

/** The key that the PIN was encrypted with is no longer valid. Nothing was tried with it. */
export const KEY_REVOKED = '4003'
