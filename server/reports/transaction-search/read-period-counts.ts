import { OPERATORS } from '#lib/operators/operators.ts'
import type { TransactionFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { addDays, monthEnd } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type OperatorSum, type PartSum, type PeriodCount, selectPeriodCounts, selectRollUpRanges } from './day-counts-store.ts'
import type { SequenceRange } from './sequence-range.ts'

/** A day or a sealed month with its counts and its range of the sequence. */
export type Period = PeriodCount & SequenceRange

/** Every day and sealed month of an application, oldest first, with how many transactions match the filter, and the sums of those. */
export async function readPeriodCounts(
  queryable: Queryable,
  application: BusinessTime,
  filter: TransactionFilter,
): Promise<{ periods: Period[]; sums: PartSum[] }> {
  // A month that an end of the filter's dates divides is counted by day.
  const splitDays = [...(filter.from ? [filter.from] : []), ...(filter.to ? [addDays(filter.to, 1)] : [])]
  const ranges = await selectRollUpRanges(queryable, application, { from: null, to: null }, splitDays)
  const { periods, sums } = await selectPeriodCounts(queryable, application.applicationId, filter, ranges)
  return { periods: withSequences(periods, 0n), sums: byCurrency(sums) }
}

/** The same periods with the days of some months in place of those months. A sealed month does not change, so its range stays. */
export async function splitMonths(
  queryable: Queryable,
  { applicationId, businessZone }: BusinessTime,
  filter: TransactionFilter,
  periods: readonly Period[],
  months: readonly Period[],
): Promise<Period[]> {
  const fromDays = months.map((month) => month.firstDay)
  const toDays = fromDays.map((day) => monthEnd(day))
  const { periods: days } = await selectPeriodCounts(queryable, applicationId, filter, { zone: businessZone, months: [], fromDays, toDays })
  return periods.flatMap((period) => {
    if (!months.includes(period)) return [period]
    const lastDay = monthEnd(period.firstDay)
    const own = days.filter((day) => day.firstDay >= period.firstDay && day.firstDay <= lastDay)
    return withSequences(own, period.first - 1n)
  })
}

/** Sequences follow time, so the counts of the periods determine each period's range of the sequence. */
function withSequences(counts: readonly PeriodCount[], lastBefore: bigint): Period[] {
  let last = lastBefore
  return counts.map((count) => {
    const first = last + 1n
    last += count.all
    return { ...count, first, last }
  })
}

function byCurrency(rows: readonly OperatorSum[]): PartSum[] {
  const sums = new Map<string, PartSum>()
  for (const { operator, type, status, count, amountMinor } of rows) {
    const currency = OPERATORS[operator].country.currency
    const key = `${currency} ${type} ${status}`
    const sum = sums.get(key) ?? { currency, type, status, count: 0n, amountMinor: 0n, feesMinor: null }
    sums.set(key, { ...sum, count: sum.count + count, amountMinor: sum.amountMinor + amountMinor })
  }
  return [...sums.values()].filter((sum) => sum.count > 0n)
}
