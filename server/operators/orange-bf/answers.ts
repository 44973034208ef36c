import { type AnswerTable, refused, UNKNOWN } from '#server/operators/answer-table.ts'

/**
 * The codes of `status` that are known. `990422` and `00066` both mean a wrong number or one without an account. Every other code is unknown,
 * because Orange publishes no list that rules out that one of them follows a debit.
 */
export const ORANGE_BF_ANSWERS: AnswerTable = { '990422': refused('invalidNumber'), '00066': refused('invalidNumber'), '00068': UNKNOWN }

/** The code was used before, perhaps by an earlier submission of the same payment. */
export const USED_BEFORE = '990418'

/** Codes that the customer can correct with another code: wrong, made for another amount, or used before. */
export const WRONG_CODES: ReadonlySet<string> = new Set(['OTPINV', '08', USED_BEFORE])
