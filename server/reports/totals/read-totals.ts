import { chartPeriods, type PeriodStep } from '#lib/chart-periods.ts'
import type { CurrencyChart, CurrencyTotal, OperatorTotal, TotalsDto } from '#lib/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import type { TotalsFilter } from '#lib/schemas/finance-query.ts'
import { FIRST_DAY, LAST_DAY, type OpenRange, resolveDateRange, type UtcDay, utcDayOf } from '#lib/time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-snapshot.ts'
import { totalByRange, totalOfApplication } from '#server/reports/partner-lists/total-queries.ts'
import { daysOnly, selectRollUpRanges } from '#server/reports/transaction-search/roll-up-ranges-store.ts'
import {
  type OperatorStatusSum,
  type PeriodSum,
  type RollUpQuery,
  selectDayBounds,
  selectOperatorSums,
  selectPeriodSums,
} from './roll-up-sums-store.ts'

/**
 * Totals of an application by the filters of the page, from the roll-ups: the cost depends on the days, never on the transactions. All of
 * it in one snapshot, so that cards, chart, table and the API's number fit each other.
 */
export function readTotals(pool: Pool, applicationId: string, filter: TotalsFilter, now: Date): Promise<TotalsDto> {
  const range = resolveDateRange(filter, now)
  const query: RollUpQuery = { ...range, type: filter.type, operators: filter.operator }
  return withSnapshot(pool, async (snapshot) => {
    const ranges = await selectRollUpRanges(snapshot, applicationId, query)
    const sums = await selectOperatorSums(snapshot, applicationId, query, ranges)
    const bounds = await selectDayBounds(snapshot, applicationId)
    const today = utcDayOf(now)
    const { step, periods } = periodsOf(range, { first: bounds?.first ?? today, last: laterOf(bounds?.last ?? today, today) })
    const chosen = sums.filter((sum) => filter.status === 'ALL' || sum.status === filter.status)
    return {
      ...range,
      cards: cardsOf(chosen),
      step,
      charts: toCharts(await selectPeriodSums(snapshot, applicationId, query, step === 'day' ? daysOnly(query) : ranges, step), periods),
      operators: toOperatorTotals(sums, chosen),
      apiTotal: await apiTotal(snapshot, applicationId, filter, range),
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

function cardsOf(sums: readonly OperatorStatusSum[]): CurrencyTotal[] {
  return CURRENCIES.map((currency) => {
    const own = sums.filter((sum) => OPERATORS[sum.operator].country.currency === currency)
    return {
      currency,
      count: Number(own.reduce((count, sum) => count + sum.count, 0n)),
      amount: formatMinor(own.reduce((amount, sum) => amount + sum.amountMinor, 0n)),
    }
  })
}

/** One line per operator that has anything in these days; the success rate is of all that finished, whatever status is chosen. */
export function toOperatorTotals(all: readonly OperatorStatusSum[], chosen: readonly OperatorStatusSum[]): OperatorTotal[] {
  return OPERATOR_CODES.flatMap((operator) => {
    const own = all.filter((sum) => sum.operator === operator && sum.count > 0n)
    if (own.length === 0) return []
    const shown = chosen.filter((sum) => sum.operator === operator)
    return [
      {
        operator,
        currency: OPERATORS[operator].country.currency,
        count: Number(shown.reduce((count, sum) => count + sum.count, 0n)),
        amount: formatMinor(shown.reduce((amount, sum) => amount + sum.amountMinor, 0n)),
        share: shareOf(own),
      },
    ]
  })
}

function shareOf(sums: readonly OperatorStatusSum[]): number | null {
  const countOf = (status: string) => Number(sums.find((sum) => sum.status === status)?.count ?? 0n)
  const finished = countOf('SUCCESS') + countOf('FAILED')
  return finished === 0 ? null : countOf('SUCCESS') / finished
}

/** One chart per currency that has anything, with every period of the range, also those without a transaction. */
export function toCharts(sums: readonly PeriodSum[], periods: readonly string[]): CurrencyChart[] {
  const found = new Map(sums.map((sum) => [`${sum.currency} ${sum.period} ${sum.status}`, sum]))
  return CURRENCIES.filter((currency) => sums.some((sum) => sum.currency === currency)).map((currency) => ({
    currency,
    periods: periods.map((period) => {
      const success = found.get(`${currency} ${period} SUCCESS`)
      const failed = found.get(`${currency} ${period} FAILED`)
      return {
        period,
        success: formatMinor(success?.amountMinor ?? 0n),
        failed: formatMinor(failed?.amountMinor ?? 0n),
        successCount: Number(success?.count ?? 0n),
        failedCount: Number(failed?.count ?? 0n),
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
