import type { OperatorCode } from './operators.ts'
import type { UtcDay } from './time.ts'
import type { TransactionType } from './transaction-status.ts'

/** How many days the outcomes of operators are shown for. */
export const OUTCOME_DAYS = 7

/** The submissions among the newest transactions: how many there were, how many without a usable answer, and how long the others took. */
export type ResponseTimes = { count: number; unknown: number; medianMs: number | null; slowMs: number | null }

/** What became of the transactions of one direction; `open`: without a result yet. */
export type Outcomes = { succeeded: number; failed: number; open: number; responses: ResponseTimes }

export type DirectionOutcomes = Outcomes & {
  operator: OperatorCode
  type: TransactionType
  /** Submitted, and the outcome is unknown now. */
  unconfirmed: number
  /** Oldest first, every day. */
  days: (Outcomes & { day: UtcDay })[]
}

/** Why a test of an operator did not work. Nothing of what the operator said, which may be about other applications. */
export type OperatorTestProblem = 'no_answer' | 'credentials_refused' | 'unusable_answer'
/** `problem` null: it signed in and read the balance. */
export type OperatorTestResult = { problem: OperatorTestProblem | null; durationMs: number }
