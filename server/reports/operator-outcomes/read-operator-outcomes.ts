import { type DirectionOutcomes, HISTORY_DAYS, OUTCOME_DAYS, type Outcomes, type ResponseTimes } from '#lib/operators/operator-outcomes.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, daysBetween } from '#lib/time/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type OutcomeDay, selectOutcomeDays } from '../totals/totals-store.ts'
import { daysOnly } from '../transaction-search/day-counts-store.ts'
import {
  addOutcomes,
  countUnconfirmed,
  type ResponseRow,
  removeOutcomesBefore,
  selectApplicationsBehind,
  selectResponses,
} from './outcome-store.ts'

/** As many transactions as response times are read from. */
export const RESPONSE_SAMPLE = 2_000

const NO_RESPONSES: ResponseTimes = { count: 0, unknown: 0, medianMs: null, slowMs: null }

/**
 * Returns the outcomes of each operator's transactions by direction in the last days, by business day, and how fast submissions were
 * answered.
 */
export async function readOperatorOutcomes(
  pool: Pool,
  time: BusinessTime,
  { now, sampleSize = RESPONSE_SAMPLE }: { now: Date; sampleSize?: number },
): Promise<DirectionOutcomes[]> {
  const today = dayIn(time.businessZone, now)
  const range = { from: addDays(today, 1 - OUTCOME_DAYS), to: today }
  const [sums, responses, unconfirmed] = await Promise.all([
    selectOutcomeDays(pool, time.applicationId, daysOnly(time.businessZone, range)),
    selectResponses(pool, time, { fromDay: range.from, sampleSize }),
    countUnconfirmed(pool, time.applicationId),
  ])
  const days = daysBetween(range.from, range.to)
  return OPERATOR_CODES.flatMap((operator) =>
    TRANSACTION_TYPES.map((type) => {
      const isOwn = (row: { operator: string; type: string }) => row.operator === operator && row.type === type
      const [ownSums, ownResponses] = [sums.filter(isOwn), responses.filter(isOwn)]
      return {
        operator,
        type,
        ...outcomesOf(ownSums, ownResponses, null),
        unconfirmed: unconfirmed.find(isOwn)?.count ?? 0,
        days: days.map((day) => ({ day, ...outcomesOf(ownSums, ownResponses, day) })),
      }
    }),
  )
}

/** `day` null: all days together. */
function outcomesOf(sums: readonly OutcomeDay[], responses: readonly ResponseRow[], day: string | null): Outcomes {
  const countOf = (statuses: readonly string[]) =>
    sums.reduce((count, sum) => (statuses.includes(sum.status) && (day === null || sum.day === day) ? count + Number(sum.count) : count), 0)
  const row = responses.find((response) => response.day === day)
  return {
    succeeded: countOf(['SUCCESS']),
    failed: countOf(['FAILED']),
    open: countOf(['PENDING', 'PENDING_APPROVAL']),
    responses: row ? { count: row.count, unknown: row.unknown, medianMs: row.medianMs, slowMs: row.slowMs } : NO_RESPONSES,
  }
}

/** Transactions of each status per statement: some tens of milliseconds. */
const SLICE_MAX = 5_000
const DAY_MS = 86_400_000
/** A business day begins up to fourteen hours before the UTC day, and the oldest one is shown as a whole. */
const KEPT_DAYS = HISTORY_DAYS + 2
const CAUSES = Object.entries(FAILURE_MESSAGES)

/**
 * Adds what has ended since the last run to the outcomes by hour. Nothing waits for it: submissions and results only leave their
 * sequence behind. An application that cannot be added up holds up no other. Stops between two slices when `isEnding`.
 */
export async function addOperatorOutcomes(pool: Pool, now: Date, isEnding: () => boolean = () => false): Promise<void> {
  const since = keptSince(now)
  for (const applicationId of await selectApplicationsBehind(pool)) {
    try {
      const slice = { applicationId, countMax: SLICE_MAX, since, causes: CAUSES }
      while (!isEnding() && (await addOutcomes(pool, slice)) > 0n);
    } catch (error) {
      reportUnexpected('operators: outcomes', error, {
        message: 'Outcomes at operators could not be added up; the task of the next minute repeats it',
        applicationId,
      })
    }
  }
}

/** Removes the outcomes that are too old for any page to show. */
export async function forgetOperatorOutcomes(pool: Pool, now: Date): Promise<void> {
  await removeOutcomesBefore(pool, keptSince(now))
}

function keptSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_DAYS * DAY_MS)
}
