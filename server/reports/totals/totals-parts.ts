import { chartPeriods, type PeriodStep } from '#lib/finance/chart.ts'
import type { CurrencyChart, OperatorTotal } from '#lib/finance/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { TotalsFilter } from '#lib/schemas/page-address.ts'
import type { OpenRange, UtcDay } from '#lib/time/time.ts'
import { amountOf, countOf, feesOf, type MoneySums, shareOf, withStatus } from './money-figures.ts'
import type { PeriodSum } from './totals-store.ts'

/**
 * The bars of the chart. The part of a range in which the application has no transactions is left out if the bars would otherwise be
 * coarser, so there are never more bars than fit (chartPeriods).
 */
export function periodsOf(range: OpenRange, has: { first: UtcDay; last: UtcDay }): { step: PeriodStep; periods: string[] } {
  const from = laterOf(range.from, has.first)
  const to = earlierOf(range.to, has.last)
  if (from > to) return { step: 'day', periods: [] }
  const asked = chartPeriods(range.from ?? from, to)
  return asked.step === 'day' ? asked : chartPeriods(from, to)
}

/** One line per operator that has anything in these days; the success rate is of all that finished, regardless of the chosen status. */
export function toOperatorTotals({ all, fees }: Pick<MoneySums, 'all' | 'fees'>, status: TotalsFilter['status']): OperatorTotal[] {
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

export function laterOf(left: UtcDay | null, right: UtcDay): UtcDay {
  return left !== null && left > right ? left : right
}

function earlierOf(left: UtcDay | null, right: UtcDay): UtcDay {
  return left !== null && left < right ? left : right
}
