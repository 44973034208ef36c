import { type BusinessTime, dayIn } from '#lib/business-days.ts'
import { type DirectionOutcomes, OUTCOME_DAYS, type Outcomes, type ResponseTimes } from '#lib/operator-outcomes.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { addDays, daysBetween } from '#lib/time.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import { type OutcomeDay, selectOutcomeDays } from '#server/reports/totals/roll-up-sums-store.ts'
import { daysOnly } from '#server/reports/transaction-search/roll-up-ranges-store.ts'
import { countUnconfirmed, type ResponseRow, selectResponses } from './operator-outcome-store.ts'

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
