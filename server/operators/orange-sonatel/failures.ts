import type { FailureTable } from '#server/operators/failure-table.ts'

/** Sonatel's codes that end a payment or a cash-in. */
export const SONATEL_FAILURES: FailureTable = {
  2000: 'notRegistered',
  2001: 'invalidNumber',
  // Our own PIN or account. Never tried again: three wrong PINs block the account.
  2010: 'other',
  2011: 'other',
  2012: 'other',
  2013: 'other',
  2020: 'insufficientFunds',
  // On a cash-in it is our own balance.
  2021: 'insufficientFunds',
  2022: 'other',
  2023: 'other',
  2024: 'other',
  2025: 'other',
  2041: 'other',
  2042: 'other',
  2043: 'other',
  4004: 'operatorTimeout',
  4099: 'other',
}

/** About our own PIN: it must be changed, is wrong, or the account is blocked. Each further try would bring the block nearer. */
export const PIN_REFUSALS: ReadonlySet<string> = new Set(['2010', '2011', '2012', '2013'])

/** The key that the PIN was encrypted with is no longer valid. Nothing was tried with it. */
export const KEY_REVOKED = '4003'
