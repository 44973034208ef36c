import { chartPeriods, type PeriodStep } from '#lib/finance/chart.ts'
import { rangeBefore } from '#lib/finance/finance-comparison.ts'
import type { CurrencyChart, OperatorTotal, TotalsDto } from '#lib/finance/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { TotalsFilter } from '#lib/schemas/page-address.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, FIRST_DAY, LAST_DAY, type OpenRange, resolveDateRange, type UtcDay } from '#lib/time/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { totalByRange, totalOfApplication } from '../partner-lists/list-for-partner-store.ts'
import { daysOnly } from '../transaction-search/day-counts-store.ts'
import { amountOf, countOf, feesOf, type MoneySums, readMoneySums, shareOf, statusesOf, toMoney, withStatus } from './money-figures.ts'
import { type PeriodSum, selectDayBounds, selectPeriodSums } from './totals-store.ts'

/**
 * Totals of an application by the filters of the page, from the roll-ups: the cost depends on the days, never on the transactions. All of
 * it in one snapshot, so that figures, chart, table and the API's number fit each other.
 */
export function readTotals(pool: Pool, application: BusinessTime, filter: TotalsFilter, now: Date): Promise<TotalsDto> {
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

/**
 * The bars of the chart. The part of a range in which the application has no transactions is left out if the bars would otherwise be
 * coarser, so there are never more bars than fit (chartPeriods).
 */
function periodsOf(range: OpenRange, has: { first: UtcDay; last: UtcDay }): { step: PeriodStep; periods: string[] } {
  const from = laterOf(range.from, has.first)
  const to = earlierOf(range.to, has.last)
  if (from > to) return { step: 'day', periods: [] }
  const asked = chartPeriods(range.from ?? from, to)
  return asked.step === 'day' ? asked : chartPeriods(from, to)
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

/** One line per operator that has anything in these days; the success rate is of all that finished, regardless of the chosen status. */
function toOperatorTotals({ all, fees }: Pick<MoneySums, 'all' | 'fees'>, status: TotalsFilter['status']): OperatorTotal[] {
  const chosen = withStatus(all, status)
  return OPERATOR_CODES.flatMap((operator) => {
    const own = all.filter((sum) => sum.operator === operator && sum.count > 0n)
    if (own.length === 0) return []
    const shown = chosen.filter((sum) => sum.operator === operator)
    return [
      {
        operator,
        currency: OPERATORS[operator].country.currency,
        count: countOf(shown),
        collects: formatMinor(amountOf(shown.filter((sum) => sum.type === 'COLLECT'))),
        deposits: formatMinor(amountOf(shown.filter((sum) => sum.type === 'DEPOSIT'))),
        share: shareOf(own),
        fees: status === 'SUCCESS' && fees ? feesOf(fees.filter((fee) => fee.operator === operator)) : null,
      },
    ]
  })
}

/** One chart per currency that has anything, with every period of the range, also those without a transaction. */
export function toCharts(sums: readonly PeriodSum[], periods: readonly string[]): CurrencyChart[] {
  const found = new Map(sums.map((sum) => [`${sum.currency} ${sum.period} ${sum.type}`, sum]))
  return CURRENCIES.filter((currency) => sums.some((sum) => sum.currency === currency)).map((currency) => ({
    currency,
    periods: periods.map((period) => {
      const collects = found.get(`${currency} ${period} COLLECT`)
      const deposits = found.get(`${currency} ${period} DEPOSIT`)
      return {
        period,
        collects: formatMinor(collects?.amountMinor ?? 0n),
        deposits: formatMinor(deposits?.amountMinor ?? 0n),
        collectCount: Number(collects?.count ?? 0n),
        depositCount: Number(deposits?.count ?? 0n),
      }
    }),
  }))
}

function laterOf(left: UtcDay | null, right: UtcDay): UtcDay {
  return left !== null && left > right ? left : right
}

function earlierOf(left: UtcDay | null, right: UtcDay): UtcDay {
  return left !== null && left < right ? left : right
}
