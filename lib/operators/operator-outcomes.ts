import type { MessageKey } from '#lib/i18n/translate.ts'
import { FAILURE_REASONS, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { UtcDay } from '#lib/time/time.ts'
import type { OperatorCode } from './operators.ts'

/** Whether submissions of one direction reach an operator: all of them, fewer at once, or only an occasional trial. */
export type Availability = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

/** A direction that is not OPERATIONAL, or whose deposits wait because our account at the operator is SHORT; and since when. */
export type DisturbedDirection = {
  operator: OperatorCode
  type: TransactionType
  state: Exclude<Availability, 'OPERATIONAL'> | 'SHORT'
  since: string
  /** SHORT: what is missing for the deposit that is next, an exact decimal; null if only the operator knows, or for other applications. */
  missing: string | null
  /** The fault of ours for which it is CLOSED until an administrator opens it again; null if the operator does not answer. */
  fault: string | null
  /** An administrator has, and the next payment tries whether the fault is gone. */
  isReopened: boolean
}

/** The consequence for payments of a state other than OPERATIONAL; the text of a fault takes `fault`, that of a shortage `missing`. */
export function availabilityHint({
  state,
  fault,
  isReopened,
  missing,
}: Pick<DisturbedDirection, 'state' | 'fault' | 'isReopened' | 'missing'>): MessageKey {
  if (state === 'SHORT') return missing === null ? 'availability.hint.SHORT' : 'availability.hint.missing'
  if (fault === null) return `availability.hint.${state}`
  return isReopened ? 'availability.hint.reopened' : 'availability.hint.fault'
}

/** How many days the outcomes of operators are shown for. */
export const OUTCOME_DAYS = 7

/** The submissions among the newest transactions: how many there were, how many without a usable answer, and how long the others took. */
export type ResponseTimes = { count: number; unknown: number; medianMs: number | null; slowMs: number | null }

/** Results of the transactions of one direction; `open`: without a result yet. */
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
/**
 * A test of settings that are not in force; null for a removal, which has nothing to test. `openCount`: payments that the operator may have and that
 * have no result yet, counted up to a thousand.
 */
export type SettingsTrial = { test: OperatorTestResult | null; openCount: number }

/** How far the page of one operator looks back. */
export const HISTORY_HOURS = 24
export const HISTORY_DAYS = 30

/** The possible results of a submitted transaction; `open`: without a result yet. */
export const SUBMISSION_OUTCOMES = ['succeeded', ...FAILURE_REASONS, 'open'] as const
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number]

/** The transactions that were submitted in one hour or on one day, and how long they took until their result; null if none has one. */
export type HistorySlot = {
  /** The beginning of the hour, or a business day. */
  slot: string
  counts: Readonly<Record<SubmissionOutcome, number>>
  medianMs: number | null
  slowMs: number | null
  /** How many minutes of it the direction was not OPERATIONAL. */
  delayedMinutes: number
  closedMinutes: number
}

/** A stretch of time in which a direction was not OPERATIONAL; `until` null: it still is not. */
export type Disturbance = { state: Exclude<Availability, 'OPERATIONAL'>; from: string; until: string | null }

export type DirectionHistory = {
  type: TransactionType
  hours: readonly HistorySlot[]
  days: readonly HistorySlot[]
  /** Newest first. */
  disturbances: readonly Disturbance[]
  disturbanceCount: number
  /** Not submitted yet, and submitted with an unknown outcome. */
  waiting: number
  unconfirmed: number
}

export const HISTORY_PERIODS = ['hours', 'days'] as const
export type HistoryPeriod = (typeof HISTORY_PERIODS)[number]
