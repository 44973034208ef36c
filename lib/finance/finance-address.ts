import type { Currency } from '#lib/money/money.ts'
import { COUNTRIES, COUNTRY_NAMES, type CountryName, type OperatorCode } from '#lib/operators/operators.ts'
import type { QueryValues, TransactionLink } from '#lib/pages/paths.ts'
import type { TransactionType, WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import { monthEnd, type OpenRange, type TotalPreset, type UtcDay } from '#lib/time/time.ts'
import type { LineFilter, TotalBasis, TotalStatus, WebhookHealthDto } from './finance-dto.ts'

/** The dates of an address: a preset, or a custom range, which takes precedence. */
export type DatesQuery = { dates: TotalPreset; from: UtcDay | null; to: UtcDay | null }
export type TotalsQuery = DatesQuery & {
  status: TotalStatus
  type: TransactionType | null
  operator: readonly OperatorCode[]
  basis: TotalBasis
}
export type StatementQuery = DatesQuery & { view: 'days' | 'lines'; kind: LineFilter | null; page: number }

function datesOf({ dates, from, to }: DatesQuery): QueryValues {
  return { dates: from !== null || to !== null || dates === 'thisMonth' ? null : dates, from, to }
}

/** Returns the address values of the totals, without defaults. */
export function totalsAddress(query: TotalsQuery): QueryValues {
  return {
    ...datesOf(query),
    status: query.status === 'SUCCESS' ? null : query.status,
    type: query.type,
    operator: query.operator,
    basis: query.basis === 'created' ? null : query.basis,
  }
}

/** Returns the address values of a statement. */
export function statementAddress(query: StatementQuery): QueryValues {
  if (query.view === 'days') return datesOf(query)
  return { ...datesOf(query), view: query.view, kind: query.kind, page: query.page === 0 ? null : query.page + 1 }
}

/** Returns the countries of a currency, to filter a list by it. */
export function countriesOf(currency: Currency): CountryName[] {
  return COUNTRY_NAMES.filter((name) => COUNTRIES[name].currency === currency)
}

/** Returns the list of a figure of the totals: exactly the transactions that it adds up. */
export function drillDownQuery(
  query: TotalsQuery,
  range: OpenRange,
  part: { currency?: Currency; operator?: OperatorCode; type?: TransactionType; fees?: '1' } = {},
): TransactionLink {
  return {
    ...(query.status === 'ALL' ? {} : { status: query.status }),
    ...typeOf(part.type ?? query.type),
    operator: part.operator ?? query.operator,
    country: part.currency ? countriesOf(part.currency) : null,
    ...(part.fees ? { fees: part.fees } : {}),
    ...(range.from ? { from: range.from } : {}),
    ...(range.to ? { to: range.to } : {}),
  }
}

function typeOf(type: TransactionType | null): { type?: TransactionType } {
  return type === null ? {} : { type }
}

/** A part of the chart: one period, `2026-11-03`, `2026-11` or `2026`, and one direction or both. */
export type PeriodPart = { period: string; currency: Currency; type?: TransactionType }

/** Returns the list of a period of the chart, limited to the days of the range. */
export function listBehindPeriod(
  query: Pick<TotalsQuery, 'status' | 'type' | 'operator'>,
  range: OpenRange,
  { period, currency, type }: PeriodPart,
): TransactionLink {
  const days = daysOfPeriod(range, period)
  return {
    ...(query.status === 'ALL' ? {} : { status: query.status }),
    ...typeOf(type ?? query.type),
    operator: query.operator,
    country: countriesOf(currency),
    ...days,
  }
}

/** Returns the days of a period of the chart within the range. */
export function daysOfPeriod(range: OpenRange, period: string): { from: UtcDay; to: UtcDay } {
  const first = `${period}-01-01`.slice(0, 10)
  const last = period.length === 7 ? monthEnd(period) : `${period}-12-31`.slice(0, 10)
  return {
    from: range.from !== null && range.from > first ? range.from : first,
    to: range.to !== null && range.to < last ? range.to : last,
  }
}

/** Returns the list of a webhook figure: what ended within its window, or what has not ended. */
export function listBehindWebhooks(
  health: Pick<WebhookHealthDto, 'after' | 'before'>,
  webhook: WebhookState,
  target?: string,
): TransactionLink {
  const window = webhook === 'due' ? {} : { webhookAfter: health.after, webhookBefore: health.before }
  return { webhook, webhookTarget: target, ...window }
}
