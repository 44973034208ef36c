import type { LineFilter, TotalStatus, WebhookHealthDto } from './finance-dto.ts'
import type { Currency } from './money.ts'
import { COUNTRIES, COUNTRY_NAMES, type CountryName, type OperatorCode } from './operators.ts'
import type { QueryValues, TransactionLink } from './paths.ts'
import { monthEnd, type OpenRange, type TotalPreset, type UtcDay } from './time.ts'
import type { TransactionStatus, TransactionType } from './transaction-status.ts'
import type { WebhookState } from './webhook-state.ts'

/** The dates of an address: a preset, or days of one's own, which win. */
export type DatesQuery = { dates: TotalPreset; from: UtcDay | null; to: UtcDay | null }
export type TotalsQuery = DatesQuery & { status: TotalStatus; type: TransactionType | null; operator: readonly OperatorCode[] }
export type StatementQuery = DatesQuery & { view: 'days' | 'lines'; kind: LineFilter | null; page: number }

function datesOf({ dates, from, to }: DatesQuery): QueryValues {
  return { dates: from !== null || to !== null || dates === 'thisMonth' ? null : dates, from, to }
}

/** What stands in the totals' address; what is usual is left out. */
export function totalsAddress(query: TotalsQuery): QueryValues {
  return { ...datesOf(query), status: query.status === 'SUCCESS' ? null : query.status, type: query.type, operator: query.operator }
}

/** What stands in a statement's address. */
export function statementAddress(query: StatementQuery): QueryValues {
  if (query.view === 'days') return datesOf(query)
  return { ...datesOf(query), view: query.view, kind: query.kind, page: query.page === 0 ? null : query.page + 1 }
}

/** The countries of a currency: how a list is narrowed to it. */
export function countriesOf(currency: Currency): CountryName[] {
  return COUNTRY_NAMES.filter((name) => COUNTRIES[name].currency === currency)
}

/** The list behind a figure of the totals: it has exactly the transactions that the figure adds up. */
export function drillDownQuery(
  query: TotalsQuery,
  range: OpenRange,
  part: { currency?: Currency; operator?: OperatorCode } = {},
): TransactionLink {
  return {
    ...(query.status === 'ALL' ? {} : { status: query.status }),
    ...(query.type ? { type: query.type } : {}),
    operator: part.operator ?? query.operator,
    country: part.currency ? countriesOf(part.currency) : null,
    ...(range.from ? { from: range.from } : {}),
    ...(range.to ? { to: range.to } : {}),
  }
}

/** What the chart draws for one period, `2026-11-03`, `2026-11` or `2026`. */
export type PeriodPart = { period: string; currency: Currency; status: TransactionStatus | readonly TransactionStatus[] }

/** The list behind a period of the chart: the days of it that the range leaves. */
export function listBehindPeriod(
  query: Pick<TotalsQuery, 'type' | 'operator'>,
  range: OpenRange,
  { period, currency, status }: PeriodPart,
): TransactionLink {
  const first = `${period}-01-01`.slice(0, 10)
  const last = period.length === 7 ? monthEnd(period) : `${period}-12-31`.slice(0, 10)
  return {
    status,
    ...(query.type ? { type: query.type } : {}),
    operator: query.operator,
    country: countriesOf(currency),
    from: range.from !== null && range.from > first ? range.from : first,
    to: range.to !== null && range.to < last ? range.to : last,
  }
}

/** The list behind a figure of the webhooks' health: what ended within its window, or what has not ended. */
export function listBehindWebhooks(
  health: Pick<WebhookHealthDto, 'after' | 'before'>,
  webhook: WebhookState,
  target?: string,
): TransactionLink {
  const window = webhook === 'due' ? {} : { webhookAfter: health.after, webhookBefore: health.before }
  return { webhook, webhookTarget: target, ...window }
}
