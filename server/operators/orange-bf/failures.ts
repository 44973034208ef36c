import type { FailureTable } from '#server/operators/failure-table.ts'

/** The codes of `status` that are known and end a payment. Both mean a wrong number or one without an account. */
export const ORANGE_BF_FAILURES: FailureTable = { '990422': 'invalidNumber', '00066': 'invalidNumber' }

/** Codes that the customer can correct with another code: wrong, made for another amount, or used before. */
export const WRONG_CODES: ReadonlySet<string> = new Set(['OTPINV', '08', '990418'])
