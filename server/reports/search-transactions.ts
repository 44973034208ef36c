import { CURRENCIES, type Currency } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import {
  type CurrencySum,
  type DayCount,
  type Stretch,
  scanRows,
  selectDayCounts,
  selectRows,
  selectRowsAt,
  sumDays,
  sumRows,
} from './search-transactions-store.ts'

/** Rows that are read one by one for a filter that no roll-up knows, newest first, before the search stops. */
export const SCAN_MAX = 100_000n

export type SearchedPage = {
  rows: Transaction[]
  /** Exact over what was searched. */
  total: bigint
  /** Per currency, never added together; exact over what was searched. */
  sums: CurrencySum[]
  /** The last day that was looked at, where the search stopped before the end: narrow the dates to see further back. */
  searchedBackTo: string | null
  /** False where there are too many to be put in order of amount; the rows are then newest first. */
  isSortedAsAsked: boolean
}

/**
 * The transactions of an application that fit a filter, one page of them. What roll-ups know (status, type, operator, country, day)
 * costs the same at any size and depth: the days' counts say where a page begins. Other filters look at the newest
 * SCAN_MAX transactions of the chosen days and say so when there are more.
 */
export async function searchTransactions(queryable: Queryable, applicationId: string, filter: TransactionFilter): Promise<SearchedPage> {
  const days = withSequences(await selectDayCounts(queryable, applicationId, filter))
  return needsRows(filter) ? searchByRows(queryable, applicationId, filter, days) : searchByDays(queryable, applicationId, filter, days)
}

type Day = DayCount & Stretch

/** Sequences follow time, so the counts of the days give each day's stretch of the sequence. */
function withSequences(counts: DayCount[]): Day[] {
  let last = 0n
  return counts.map((count) => {
    const first = last + 1n
    last += count.all
    return { ...count, first, last }
  })
}

/** The part of the sequence that the dates of a filter leave; undefined when no day of them has a transaction. */
export async function stretchOfDates(queryable: Queryable, applicationId: string, filter: TransactionFilter): Promise<Stretch | undefined> {
  const days = withSequences(await selectDayCounts(queryable, applicationId, filter))
  const within = days.filter(({ day }) => (!filter.from || day >= filter.from) && (!filter.to || day <= filter.to))
  const [first, last] = [within[0], within.at(-1)]
  return first && last ? { first: first.first, last: last.last } : undefined
}

function needsRows(filter: TransactionFilter): boolean {
  return (
    filter.min !== null ||
    filter.max !== null ||
    filter.phone !== '' ||
    filter.name !== '' ||
    filter.batch !== null ||
    filter.unconfirmed !== null
  )
}

async function searchByDays(queryable: Queryable, applicationId: string, filter: TransactionFilter, days: Day[]): Promise<SearchedPage> {
  const matching = days.filter((day) => day.matching > 0n)
  const total = matching.reduce((sum, day) => sum + day.matching, 0n)
  const sums = byCurrency(await sumDays(queryable, applicationId, filter))
  const isByAmount = filter.sort.startsWith('amount')
  if (isByAmount && total <= SCAN_MAX) {
    const rows = await pageOf(queryable, applicationId, filter, matching)
    return { rows, total, sums, searchedBackTo: null, isSortedAsAsked: true }
  }
  const sort = filter.sort === 'oldest' ? 'oldest' : 'newest'
  const { stretches, offset } = stretchesOfPage(sort === 'oldest' ? matching : matching.toReversed(), filter)
  const rows =
    stretches.length === 0 ? [] : await selectRows(queryable, applicationId, { ...filter, sort }, { stretches, offset, limit: filter.size })
  return { rows, total, sums, searchedBackTo: null, isSortedAsAsked: !isByAmount }
}

/** The days that a page touches, found by counting, and how far into the first of them it begins. */
function stretchesOfPage(days: Day[], { page, size }: TransactionFilter): { stretches: Day[]; offset: bigint } {
  const begin = BigInt(page - 1) * BigInt(size)
  const end = begin + BigInt(size)
  const stretches: Day[] = []
  let offset = 0n
  let counted = 0n
  for (const day of days) {
    const after = counted + day.matching
    if (after > begin && counted < end) {
      if (stretches.length === 0) offset = begin - counted
      stretches.push(day)
    }
    counted = after
  }
  return { stretches, offset }
}

async function searchByRows(queryable: Queryable, applicationId: string, filter: TransactionFilter, days: Day[]): Promise<SearchedPage> {
  // A phone has an index of its own, and so has a batch: both are searched to the end.
  const isNarrow = filter.phone.length >= 8 || filter.batch !== null || filter.unconfirmed !== null
  const { searched, searchedBackTo } = isNarrow ? { searched: days, searchedBackTo: null } : withinBudget(days)
  const chosen = searched.filter((day) => day.matching > 0n)
  if (chosen.length === 0) return { rows: [], total: 0n, sums: [], searchedBackTo, isSortedAsAsked: true }
  // Comparing names is what costs; what else is asked is compared faster twice than kept once.
  if (!isNarrow && filter.name !== '')
    return { ...(await scanPage(queryable, applicationId, filter, chosen)), searchedBackTo, isSortedAsAsked: true }
  const sums = await sumRows(queryable, applicationId, filter, merged(chosen))
  const total = sums.reduce((sum, one) => sum + one.count, 0n)
  return { rows: await pageOf(queryable, applicationId, filter, chosen), total, sums, searchedBackTo, isSortedAsAsked: true }
}

/** Counts, sums and finds the page in one walk: no index knows such a filter, so the walk is what it costs. */
async function scanPage(queryable: Queryable, applicationId: string, filter: TransactionFilter, days: Day[]) {
  const offset = BigInt(filter.page - 1) * BigInt(filter.size)
  const { sums, sequences } = await scanRows(queryable, applicationId, filter, { stretches: merged(days), offset, limit: filter.size })
  const rows = sequences.length === 0 ? [] : await selectRowsAt(queryable, applicationId, sequences)
  return { rows, sums, total: sums.reduce((sum, one) => sum + one.count, 0n) }
}

function pageOf(queryable: Queryable, applicationId: string, filter: TransactionFilter, days: Day[]): Promise<Transaction[]> {
  if (days.length === 0) return Promise.resolve([])
  const offset = BigInt(filter.page - 1) * BigInt(filter.size)
  return selectRows(queryable, applicationId, filter, { stretches: merged(days), offset, limit: filter.size })
}

/** The newest of the chosen days that together have at most SCAN_MAX transactions; at least one day. */
function withinBudget(days: Day[]): { searched: Day[]; searchedBackTo: string | null } {
  const searched: Day[] = []
  let scanned = 0n
  for (const day of days.filter((one) => one.matching > 0n).toReversed()) {
    if (searched.length > 0 && scanned + day.all > SCAN_MAX) return { searched, searchedBackTo: searched.at(-1)?.day ?? null }
    scanned += day.all
    searched.push(day)
  }
  return { searched, searchedBackTo: null }
}

/** Neighbouring days as one stretch. */
function merged(days: Day[]): Stretch[] {
  const stretches: { first: bigint; last: bigint }[] = []
  for (const { first, last } of days.toSorted((left, right) => (left.first < right.first ? -1 : 1))) {
    const before = stretches.at(-1)
    if (before && before.last + 1n === first) before.last = last
    else stretches.push({ first, last })
  }
  return stretches
}

function byCurrency(rows: Awaited<ReturnType<typeof sumDays>>): CurrencySum[] {
  const sums = new Map<Currency, CurrencySum>()
  for (const { operator, count, amountMinor } of rows) {
    const currency = OPERATORS[operator].country.currency
    const sum = sums.get(currency) ?? { currency, count: 0n, amountMinor: 0n }
    sums.set(currency, { currency, count: sum.count + count, amountMinor: sum.amountMinor + amountMinor })
  }
  return CURRENCIES.flatMap((currency) => sums.get(currency) ?? []).filter((sum) => sum.count > 0n)
}
