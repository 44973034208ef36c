import type { MessageKey } from './i18n/translate.ts'
import type { OperatorCode } from './operators.ts'
import type { TransactionType } from './transaction-status.ts'

/** Whether submissions of one direction reach an operator: all of them, fewer at once, or only an occasional trial. */
export type Availability = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

/** A direction that is not OPERATIONAL, and since when. */
export type DisturbedDirection = {
  operator: OperatorCode
  type: TransactionType
  state: Exclude<Availability, 'OPERATIONAL'>
  since: string
  /** The fault of ours for which it is CLOSED until an administrator opens it again; null if the operator does not answer. */
  fault: string | null
  /** An administrator has, and the next payment tries whether the fault is gone. */
  isReopened: boolean
}

/** What a state that is not OPERATIONAL means for payments; the text of a fault takes `fault`. */
export function availabilityHint({ state, fault, isReopened }: Pick<DisturbedDirection, 'state' | 'fault' | 'isReopened'>): MessageKey {
  if (fault === null) return `availability.hint.${state}`
  return isReopened ? 'availability.hint.reopened' : 'availability.hint.fault'
}
