import { CURRENCIES, type Currency } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import { addDays, monthEnd } from '#lib/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectSource } from './roll-up-source.ts'
import { type OperatorSum, type SpanCount, selectSpanCounts } from './search-spans-store.ts'

/** A stretch of an application's sequence, both ends included. */
export type Stretch = { first: bigint; last: bigint }

/** A day or a sealed month and its stretch of the sequence. */
export type Span = SpanCount & Stretch

export type CurrencySum = { currency: Currency; count: bigint; amountMinor: bigint }

/** Every day and sealed month of an application, oldest first, with what the filter leaves of it; months do not go across the filter's dates. */
export async function readSpans(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
): Promise<{ spans: Span[]; sums: CurrencySum[] }> {
  const cuts = [...(filter.from ? [filter.from] : []), ...(filter.to ? [addDays(filter.to, 1)] : [])]
  const source = await selectSource(queryable, applicationId, { from: null, to: null }, cuts)
  const { spans, sums } = await selectSpanCounts(queryable, applicationId, filter, source)
  return { spans: withSequences(spans, 0n), sums: byCurrency(sums) }
}

/** The same spans with the days of some months instead of those months: what is sealed does not change, so the stretches stay. */
export async function splitMonths(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  spans: readonly Span[],
  months: readonly Span[],
): Promise<Span[]> {
  const fromDays = months.map((month) => month.firstDay)
  const toDays = fromDays.map((day) => monthEnd(day))
  const { spans: days } = await selectSpanCounts(queryable, applicationId, filter, { months: [], fromDays, toDays })
  return spans.flatMap((span) => {
    if (!months.includes(span)) return [span]
    const lastDay = monthEnd(span.firstDay)
    const own = days.filter((day) => day.firstDay >= span.firstDay && day.firstDay <= lastDay)
    return withSequences(own, span.first - 1n)
  })
}

/** Sequences follow time, so the counts of the spans give each span's stretch of the sequence. */
function withSequences(counts: readonly SpanCount[], before: bigint): Span[] {
  let last = before
  return counts.map((count) => {
    const first = last + 1n
    last += count.all
    return { ...count, first, last }
  })
}

function byCurrency(rows: readonly OperatorSum[]): CurrencySum[] {
  const sums = new Map<Currency, CurrencySum>()
  for (const { operator, count, amountMinor } of rows) {
    const currency = OPERATORS[operator].country.currency
    const sum = sums.get(currency) ?? { currency, count: 0n, amountMinor: 0n }
    sums.set(currency, { currency, count: sum.count + count, amountMinor: sum.amountMinor + amountMinor })
  }
  return CURRENCIES.flatMap((currency) => sums.get(currency) ?? []).filter((sum) => sum.count > 0n)
}
