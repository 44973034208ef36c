import { rangeBefore } from '#lib/finance/finance-comparison.ts'
import type { TotalsDto } from '#lib/finance/finance-dto.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { TotalsFilter } from '#lib/schemas/page-address.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, FIRST_DAY, LAST_DAY, type OpenRange, resolveDateRange, type UtcDay } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { totalByRange, totalOfApplication } from '../partner-lists/list-for-partner-store.ts'
import { daysOnly } from '../transaction-search/day-counts-store.ts'
import { readMoneySums, statusesOf, toMoney } from './money-figures.ts'
import { readCompletedTotals } from './read-completed-totals.ts'
import { laterOf, periodsOf, toCharts, toOperatorTotals } from './totals-parts.ts'
import { selectDayBounds, selectPeriodSums } from './totals-store.ts'

/**
 * Totals of an application by the filters of the page, from the roll-ups: the cost depends on the days, never on the transactions. All of
 * it in one snapshot, so that figures, chart, table and the API's number fit each other.
 */
export function readTotals(pool: Pool, application: BusinessTime, filter: TotalsFilter, now: Date): Promise<TotalsDto> {
  if (filter.basis === 'completed') return readCompletedTotals(pool, application, filter, now)
  const { applicationId, businessZone } = application
  const today = dayIn(businessZone, now)
  const range = resolveDateRange(filter, today)
  const before = rangeBefore(filter, today)
  const { status } = filter
  const query = { ...range, type: filter.type, operators: filter.operator, status }
  return withSnapshot(pool, async (snapshot) => {
    const { sums, sumsBefore } = await readMoneySums(snapshot, application, query, before)
    const bounds = await selectDayBounds(snapshot, application)
    const { step, periods } = periodsOf(range, { first: bounds?.first ?? today, last: laterOf(bounds?.last ?? today, today) })
    const ranges = step === 'day' ? daysOnly(businessZone, query) : sums.ranges
    return {
      basis: 'created',
      zone: businessZone,
      ...range,
      before,
      money: toMoney(sums, sumsBefore, status),
      step,
      charts: toCharts(await selectPeriodSums(snapshot, applicationId, query, ranges, step, statusesOf(status)), periods),
      operators: toOperatorTotals(sums, status),
      apiTotal: await apiTotal(snapshot, applicationId, filter, range),
      isApiOfSameDays: isOfSameDays(businessZone, range),
    }
  })
}

/** The API knows a range with one status, and everything of all time; it has no other filters. */
async function apiTotal(
  snapshot: Queryable,
  applicationId: string,
  filter: TotalsFilter,
  range: { from: UtcDay | null; to: UtcDay | null },
): Promise<string | null> {
  if (filter.type !== null || filter.operator.length > 0) return null
  if (filter.status === 'ALL')
    return range.from === null && range.to === null ? formatMinor(await totalOfApplication(snapshot, applicationId)) : null
  const days = { startDay: range.from ?? FIRST_DAY, endDay: range.to ?? LAST_DAY }
  return formatMinor(await totalByRange(snapshot, applicationId, { ...days, status: filter.status }))
}

/** Whether a range of days in a zone begins and ends with UTC days. */
function isOfSameDays(zone: string, { from, to }: OpenRange): boolean {
  return [from, to === null ? null : addDays(to, 1)].every((day) => {
    if (day === null) return true
    const midnight = new Date(`${day}T00:00:00Z`)
    return dayIn(zone, midnight) === day && dayIn(zone, new Date(midnight.getTime() - 1)) === addDays(day, -1)
  })
}
