import type { TransactionFilter } from '#lib/schemas/transaction-filter.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { type CurrencySum, readSpans, type Span, type Stretch, splitMonths } from './search-spans.ts'
import { selectRows, sumRows } from './search-transactions-store.ts'

/** Rows that are read one by one for a filter that no roll-up knows, newest first, before the search stops. */
const SCAN_MAX = 100_000n

/** Comparing a name costs twice what comparing an amount does. */
const NAME_SCAN_MAX = 60_000n

/** Rows among which those that roll-ups have counted are picked out to be put in order of amount. */
const SORT_SCAN_MAX = 3n * SCAN_MAX

/** Of delivered webhooks, those that ended within so long are looked for by that time. */
const WEBHOOK_WINDOW_MS_MAX = 48 * 3_600_000

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
 * costs the same at any size and depth: the counts of days and sealed months say where a page begins. Other filters look at the newest
 * `scanMax` transactions of the chosen days and say so when there are more.
 */
export async function searchTransactions(
  queryable: Queryable,
  applicationId: string,
  filter: TransactionFilter,
  scanMax = filter.name === '' ? SCAN_MAX : NAME_SCAN_MAX,
): Promise<SearchedPage> {
  const search: Search = { queryable, applicationId, filter, scanMax, ...(await readSpans(queryable, applicationId, filter)) }
  return needsRows(filter) ? searchByRows(search) : searchByRollUps(search)
}

type Search = {
  queryable: Queryable
  applicationId: string
  filter: TransactionFilter
  scanMax: bigint
  spans: Span[]
  sums: CurrencySum[]
}

/** The part of the sequence that the dates of a filter leave; undefined when no day of them has a transaction. */
export async function stretchOfDates(queryable: Queryable, applicationId: string, filter: TransactionFilter): Promise<Stretch | undefined> {
  const { spans } = await readSpans(queryable, applicationId, filter)
  const within = spans.filter(({ firstDay }) => (!filter.from || firstDay >= filter.from) && (!filter.to || firstDay <= filter.to))
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
    filter.unconfirmed !== null ||
    filter.webhook !== null
  )
}

async function searchByRollUps(search: Search): Promise<SearchedPage> {
  const { queryable, applicationId, filter, sums } = search
  const matching = search.spans.filter((span) => span.matching > 0n)
  const total = matching.reduce((sum, span) => sum + span.matching, 0n)
  const isByAmount = filter.sort.startsWith('amount')
  const around = matching.reduce((sum, span) => sum + span.all, 0n)
  if (isByAmount && total <= search.scanMax && around <= SORT_SCAN_MAX) {
    const rows = await pageOf(search, matching)
    return { rows, total, sums, searchedBackTo: null, isSortedAsAsked: true }
  }
  const sort = filter.sort === 'oldest' ? 'oldest' : 'newest'
  const { stretches, offset } = await stretchesOfPage(search, sort === 'oldest' ? matching : matching.toReversed())
  const rows =
    stretches.length === 0 ? [] : await selectRows(queryable, applicationId, { ...filter, sort }, { stretches, offset, limit: filter.size })
  return { rows, total, sums, searchedBackTo: null, isSortedAsAsked: !isByAmount }
}

/** The days that a page touches, and how far into the first of them it begins: months that it touches are looked into. */
async function stretchesOfPage(
  { queryable, applicationId, filter }: Search,
  spans: Span[],
): Promise<{ stretches: Span[]; offset: bigint }> {
  const touched = touchedByPage(spans, filter)
  const months = touched.stretches.filter((span) => span.isMonth)
  if (months.length === 0) return touched
  const isBackwards = filter.sort !== 'oldest'
  const inOrder = isBackwards ? touched.stretches.toReversed() : touched.stretches
  const days = (await splitMonths(queryable, applicationId, filter, inOrder, months)).filter((span) => span.matching > 0n)
  const found = touchedByPage(isBackwards ? days.toReversed() : days, filter, touched.before)
  return { stretches: found.stretches, offset: found.offset }
}

/** The spans that a page touches, found by counting from `before`: how many match before the first span given. */
function touchedByPage(spans: readonly Span[], { page, size }: TransactionFilter, before = 0n) {
  const begin = BigInt(page) * BigInt(size)
  const end = begin + BigInt(size)
  const stretches: Span[] = []
  let counted = before
  let countedBefore = before
  for (const span of spans) {
    const after = counted + span.matching
    if (after > begin && counted < end) {
      if (stretches.length === 0) countedBefore = counted
      stretches.push(span)
    }
    counted = after
  }
  return { stretches, before: countedBefore, offset: begin - countedBefore }
}

/** Webhooks that are not delivered have indexes of their own; of those that are, a day or two are found by the time at which they ended. */
function hasFewWebhooks({ webhook, webhookAfter, webhookBefore }: TransactionFilter): boolean {
  if (webhook !== 'delivered') return webhook !== null
  if (webhookAfter === null || webhookBefore === null) return false
  return Date.parse(webhookBefore) - Date.parse(webhookAfter) <= WEBHOOK_WINDOW_MS_MAX
}

async function searchByRows(search: Search): Promise<SearchedPage> {
  const { queryable, applicationId, filter } = search
  // A phone has an index of its own, and so has a batch: both are searched to the end.
  const isNarrow = filter.phone.length >= 8 || filter.batch !== null || filter.unconfirmed !== null || hasFewWebhooks(filter)
  const { searched, searchedBackTo } = isNarrow ? { searched: search.spans, searchedBackTo: null } : await withinBudget(search)
  const chosen = searched.filter((span) => span.matching > 0n)
  if (chosen.length === 0) return { rows: [], total: 0n, sums: [], searchedBackTo, isSortedAsAsked: true }
  const sums = await sumRows(queryable, applicationId, filter, merged(chosen))
  const total = sums.reduce((sum, one) => sum + one.count, 0n)
  // Walked twice rather than kept once: to keep what fits everything costs more than a second walk, and mostly that ends with the page.
  const rows = total === 0n ? [] : await pageOf(search, chosen)
  return { rows, total, sums, searchedBackTo, isSortedAsAsked: true }
}

function pageOf({ queryable, applicationId, filter }: Search, spans: Span[]): Promise<Transaction[]> {
  if (spans.length === 0) return Promise.resolve([])
  const offset = BigInt(filter.page) * BigInt(filter.size)
  return selectRows(queryable, applicationId, filter, { stretches: merged(spans), offset, limit: filter.size })
}

/** The newest of the chosen days that together have at most `scanMax` transactions; at least one day. */
async function withinBudget(search: Search): Promise<{ searched: Span[]; searchedBackTo: string | null }> {
  const spans = search.spans.filter((span) => span.matching > 0n)
  const rough = newestWithin(spans, search.scanMax)
  if (!rough.stoppedAt?.isMonth) return rough
  // The month in which the budget ends is looked into, so that the search says the day up to which it went.
  const { queryable, applicationId, filter } = search
  const split = await splitMonths(queryable, applicationId, filter, spans, [rough.stoppedAt])
  return newestWithin(
    split.filter((span) => span.matching > 0n),
    search.scanMax,
  )
}

function newestWithin(spans: readonly Span[], scanMax: bigint): { searched: Span[]; searchedBackTo: string | null; stoppedAt?: Span } {
  const searched: Span[] = []
  let scanned = 0n
  for (const span of spans.toReversed()) {
    const isFirst = searched.length === 0 && !span.isMonth
    if (!isFirst && scanned + span.all > scanMax) return { searched, searchedBackTo: searched.at(-1)?.firstDay ?? null, stoppedAt: span }
    scanned += span.all
    searched.push(span)
  }
  return { searched, searchedBackTo: null }
}

/** Neighbouring spans as one stretch. */
function merged(spans: readonly Span[]): Stretch[] {
  const stretches: { first: bigint; last: bigint }[] = []
  for (const { first, last } of spans.toSorted((left, right) => (left.first < right.first ? -1 : 1))) {
    const before = stretches.at(-1)
    if (before && before.last + 1n === first) before.last = last
    else stretches.push({ first, last })
  }
  return stretches
}
