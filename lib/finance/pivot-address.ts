import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { QueryValues, TransactionLink } from '#lib/pages/paths.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { monthEnd, type OpenRange } from '#lib/time/time.ts'
import { daysOfPeriod, type TotalsQuery, totalsAddress } from './finance-address.ts'
import type { PivotChoice, PivotDimension } from './pivot.ts'

export type PivotQuery = Omit<TotalsQuery, 'basis'> & PivotChoice

/** Returns the address values of a chosen table, without defaults. */
export function pivotAddress({ rows, columns, measure, ...query }: PivotQuery): QueryValues {
  return {
    ...totalsAddress({ ...query, basis: 'created' }),
    rows: rows === 'operator' ? null : rows,
    columns,
    measure: measure === 'amount' ? null : measure,
  }
}

const DATES: ReadonlySet<string> = new Set(['dates', 'from', 'to'])

/** Returns the address values of a saved table for one month (`2026-11`) in place of the dates with which it was saved. */
export function pivotOfMonth(saved: string, month: string): Record<string, string> {
  const chosen = [...new URLSearchParams(saved)].filter(([name]) => !DATES.has(name))
  return { from: `${month}-01`, to: monthEnd(month), ...Object.fromEntries(chosen) }
}

/** The groups of which a figure is: those of its table, its row and its column; of a total fewer. */
export type PivotPlace = Partial<Record<PivotDimension, string>>

/** Returns the list of a figure: exactly the transactions that it counts or adds up. */
export function listBehindPivot(query: PivotQuery, range: OpenRange, place: PivotPlace): TransactionLink {
  const asked = query.measure === 'fees' ? 'SUCCESS' : (place.status ?? query.status)
  const status = TRANSACTION_STATUSES.find((each) => each === asked)
  const type = TRANSACTION_TYPES.find((each) => each === (place.direction ?? query.type))
  const period = place.day ?? place.month
  const days = period === undefined ? range : daysOfPeriod(range, period)
  return {
    ...(status ? { status } : {}),
    ...(type ? { type } : {}),
    operator: operatorsOf(query, place),
    currency: place.currency,
    ...(query.measure === 'fees' ? { fees: '1' } : {}),
    ...(days.from ? { from: days.from } : {}),
    ...(days.to ? { to: days.to } : {}),
  }
}

function operatorsOf({ operator: filtered }: PivotQuery, { operator, brand }: PivotPlace): readonly string[] {
  if (operator !== undefined) return [operator]
  if (brand === undefined) return filtered
  return OPERATOR_CODES.filter((code) => OPERATORS[code].brand === brand && (filtered.length === 0 || filtered.includes(code)))
}
