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
  /** The fault of ours for which it is CLOSED until the settings are saved again; null if the operator does not answer. */
  fault: string | null
}
