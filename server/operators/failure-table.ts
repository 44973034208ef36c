import { z } from 'zod'
import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import { REFUSED_MESSAGE } from './clean-text.ts'

/** What one of an operator's codes means to a partner: one of the five messages, or `other` for a reason that none of them names. */
type FailureMeaning = keyof typeof FAILURE_MESSAGES | 'other'

/** Every documented code of an operator that ends a transaction as FAILED. Codes for an unknown outcome are not in it. */
export type FailureTable = Readonly<Record<string, FailureMeaning>>

/** Meanings of codes that were agreed with an operator, in its settings. */
export const codeMeaningsSchema = z.record(
  z.string().regex(/^\w{1,20}$/, 'must be a code'),
  z.enum(['insufficientFunds', 'invalidNumber', 'cancelledByCustomer', 'operatorTimeout', 'notRegistered', 'other']),
)

/**
 * The message of a transaction that the operator ended with this code. A code that is not in the table gets the generic text: a partner
 * acts on the five messages, so none of them is ever guessed. The code itself is stored beside it.
 */
export function failureReason(table: FailureTable, code: string | undefined): string {
  const meaning = code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined
  return meaning === undefined || meaning === 'other' ? REFUSED_MESSAGE : FAILURE_MESSAGES[meaning]
}
