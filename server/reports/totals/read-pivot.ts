import { type PivotDto, type PivotFact, type PivotProblem, periodOf, toPivotTables, withoutRepeat } from '#lib/finance/pivot.ts'
import type { PivotFilter } from '#lib/schemas/page-address.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { countDays, type OpenRange, resolveDateRange, type UtcDay } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { daysOnly, selectRollUpRanges } from '../transaction-search/day-counts-store.ts'
import { LATE_MAX, statusesOf } from './money-figures.ts'
import { type PivotPeriod, selectPivotFees, selectPivotSums } from './pivot-store.ts'
import { laterOf } from './totals-parts.ts'
import { findFeeMark, selectDayBounds, selectFeeSums } from './totals-store.ts'

/** More lines than these are no longer read one by one. */
const DAYS_MAX = 100
const MONTHS_MAX = 120

/**
 * Returns the totals of an application as a table whose rows and columns are chosen, by the business day of creation, from the roll-ups and in
 * one snapshot: the cost depends on the days, never on the transactions.
 */
export function readPivot(pool: Pool, application: BusinessTime, filter: PivotFilter, now: Date): Promise<PivotDto> {
  const choice = withoutRepeat(filter)
  const period = periodOf(choice)
  const today = dayIn(application.businessZone, now)
  const range = resolveDateRange(choice, today)
  return withSnapshot(pool, async (snapshot) => {
    const facts =
      (await findTooMany(snapshot, application, range, period, today)) ?? (await readFacts(snapshot, application, choice, range, period))
    const answer = { zone: application.businessZone, ...range }
    if (typeof facts === 'string') return { ...answer, problem: facts, tables: [] }
    return { ...answer, problem: null, tables: toPivotTables(facts, choice) }
  })
}

/** Whether the part of the range in which the application has transactions is too long to be shown by day or month. */
async function findTooMany(
  snapshot: Queryable,
  application: BusinessTime,
  range: OpenRange,
  period: PivotPeriod | null,
  today: UtcDay,
): Promise<PivotProblem | null> {
  if (period === null) return null
  const bounds = await selectDayBounds(snapshot, application)
  const from = laterOf(range.from, bounds?.first ?? today)
  const last = laterOf(bounds?.last ?? today, today)
  const to = range.to !== null && range.to < last ? range.to : last
  if (period === 'day') return countDays(from, to) > DAYS_MAX ? 'too_many_days' : null
  return monthOf(to) - monthOf(from) >= MONTHS_MAX ? 'too_many_months' : null
}

function monthOf(day: UtcDay): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
}

async function readFacts(
  snapshot: Queryable,
  application: BusinessTime,
  filter: PivotFilter,
  range: OpenRange,
  period: PivotPeriod | null,
): Promise<PivotFact[] | 'fees_later'> {
  const query = { ...range, type: filter.type, operators: filter.operator }
  if (filter.measure === 'fees') return readFees(snapshot, application, query, period)
  const ranges = period === 'day' ? daysOnly(application.businessZone, range) : await selectRollUpRanges(snapshot, application, range)
  const sums = await selectPivotSums(snapshot, application.applicationId, query, ranges, period, statusesOf(filter.status))
  return sums.map((sum) => ({ ...sum, feesMinor: 0n }))
}

/** Fees are taken when a transaction succeeds, so they are those of one status whatever the filter says. */
async function readFees(
  snapshot: Queryable,
  application: BusinessTime,
  query: Parameters<typeof selectPivotFees>[2],
  period: PivotPeriod | null,
): Promise<PivotFact[] | 'fees_later'> {
  const { addedUntil, behind } = await findFeeMark(snapshot, application.applicationId)
  if (behind > LATE_MAX) return 'fees_later'
  const rest = { status: 'SUCCESS', count: 0n, amountMinor: 0n } as const
  if (period !== null) return (await selectPivotFees(snapshot, application, query, period, addedUntil)).map((sum) => ({ ...sum, ...rest }))
  const [sums = []] = await selectFeeSums(snapshot, application, query, [query], addedUntil)
  return sums.map(({ operator, type, feeSystemMinor, feeAppMinor }) => ({
    operator,
    type,
    period: '',
    feesMinor: feeSystemMinor + feeAppMinor,
    ...rest,
  }))
}
