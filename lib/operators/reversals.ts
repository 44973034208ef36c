import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { OperatorCode } from './operators.ts'

/** The executed payments that operators take back, in their own protocols. */
const TAKEN_BACK: Partial<Record<OperatorCode, readonly TransactionType[]>> = {
  MOMOCM: ['COLLECT'],
  BJMTN: ['COLLECT'],
  UGMTN: ['COLLECT'],
  UGAIRTEL: ['COLLECT'],
  CIWAVE: ['COLLECT', 'DEPOSIT'],
  SNWAVE: ['COLLECT', 'DEPOSIT'],
}

/** Whether an operator takes payments of this direction back. */
export function isReversible(operator: OperatorCode, type: TransactionType): boolean {
  return TAKEN_BACK[operator]?.includes(type) ?? false
}

export type ReversalState = 'asked' | 'done' | 'refused'

/** Why a reversal was not carried out. The texts are `reversal.refusal.<refusal>`. */
export type ReversalRefusal = 'not_paid' | 'not_offered' | 'operator' | 'people'

/** The newest reversal of a payment at its operator. `waitsForPeople`: its answer was lost, and nothing is sent again. */
export type ReversalDto = {
  state: ReversalState
  at: string
  waitsForPeople: boolean
  refusal: ReversalRefusal | null
  /** In the operator's words, or the evidence of people. */
  reason: string
}
