import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { pickTexts } from '#lib/payments/payment-fields.ts'
import { refundMark } from '#lib/payments/refunds.ts'
import type { ListSumDto, TransactionListDto, TransactionNote, TransactionRow } from '#lib/payments/transactions/transaction-list.ts'
import { isFinalStatus, TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { filteredOperators, type TransactionFilter } from '#lib/schemas/list-filter.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { listAdjustments } from '#server/ledger/ledger-store.ts'
import { readRefundFacts } from '#server/transactions/refund-store.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { readFees } from '../totals/money-figures.ts'
import type { PartSum } from './day-counts-store.ts'
import { type Period, readPeriodCounts, splitMonths } from './read-period-counts.ts'
import { type RowNote, selectRowNotes } from './search-store.ts'
import { selectRows, sumRows } from './search-transactions-store.ts'
import { joinRanges, type SequenceRange } from './sequence-range.ts'

/** Rows that are read one by one for a filter that no roll-up knows, newest first, before the search stops. */
const SCAN_MAX = 100_000n

/** Comparing a name costs twice as much as comparing an amount. */
const NAME_SCAN_MAX = 60_000n

/** Rows that are read to put the matching ones in order of amount, if roll-ups counted them. */
const SORT_SCAN_MAX = 3n * SCAN_MAX

/** Delivered webhooks are searched by the time at which they ended if the filter's window is at most this long. */
const WEBHOOK_WINDOW_MS_MAX = 48 * 3_600_000

type SearchedPage = {
  rows: Transaction[]
  /** Exact over what was searched. */
  total: bigint
  /** Per currency, direction and status; exact over what was searched. */
  sums: PartSum[]
  /** The first day that was searched, if the search stopped before the end: narrower dates show what is further back. */
  searchedBackTo: string | null
  /** False if there are too many rows to put them in order of amount; they are then newest first. */
  isSortedAsAsked: boolean
}

/**
 * Returns one page of the transactions of an application that match a filter. A filter that roll-ups know (status, type, operator, country,
 * currency, day) costs the same at any size and depth: the counts of days and sealed months show where a page begins. With other filters
 * the newest `scanMax` transactions of the matching days are read, and the result says so if there are more.
 */
export async function searchTransactions(
  queryable: Queryable,
  application: BusinessTime,
  filter: TransactionFilter,
  scanMax = filter.name === '' ? SCAN_MAX : NAME_SCAN_MAX,
): Promise<SearchedPage> {
  const { periods, sums } = await readPeriodCounts(queryable, application, filter)
  const search: Search = {
    queryable,
    application,
    applicationId: application.applicationId,
    filter,
    scanMax,
    matching: periods.filter((period) => period.matching > 0n),
    sums,
  }
  if (!needsRows(filter)) return searchByRollUps(search)
  return searchByRows(search)
}

/** `matching`: the periods in which something matches the part of the filter that roll-ups know, oldest first. */
type Search = {
  queryable: Queryable
  application: BusinessTime
  applicationId: string
  filter: TransactionFilter
  scanMax: bigint
  matching: Period[]
  sums: PartSum[]
}

/** The range of the sequence that lies within the dates of a filter; undefined if none of those days has a transaction. */
export async function findSequenceRange(
  queryable: Queryable,
  application: BusinessTime,
  filter: TransactionFilter,
): Promise<SequenceRange | undefined> {
  const { periods } = await readPeriodCounts(queryable, application, filter)
  const within = periods.filter(({ firstDay }) => (!filter.from || firstDay >= filter.from) && (!filter.to || firstDay <= filter.to))
  const [first, last] = [within[0], within.at(-1)]
  return first && last ? { first: first.first, last: last.last } : undefined
}

/** Whether a filter has a part that no roll-up knows. */
function needsRows(filter: TransactionFilter): boolean {
  return (
    filter.min !== null ||
    filter.max !== null ||
    filter.phone !== '' ||
    filter.name !== '' ||
    filter.batch !== null ||
    filter.maker !== null ||
    filter.reason.length > 0 ||
    filter.ended !== null ||
    filter.refund !== null ||
    filter.unconfirmed !== null ||
    filter.webhook !== null
  )
}

async function searchByRollUps(search: Search): Promise<SearchedPage> {
  const { queryable, applicationId, filter, matching, sums } = search
  const total = matching.reduce((sum, period) => sum + period.matching, 0n)
  const isByAmount = filter.sort.startsWith('amount')
  const scanned = matching.reduce((sum, period) => sum + period.all, 0n)
  if (isByAmount && total <= search.scanMax && scanned <= SORT_SCAN_MAX) {
    return { rows: await selectPage(search, matching), total, sums, searchedBackTo: null, isSortedAsAsked: true }
  }
  const sort = filter.sort === 'oldest' ? 'oldest' : 'newest'
  const { periods, offset } = await locatePage(search, sort)
  const request = { ranges: periods, offset, limit: filter.size }
  const rows = periods.length === 0 ? [] : await selectRows(queryable, applicationId, { ...filter, sort }, request)
  return { rows, total, sums, searchedBackTo: null, isSortedAsAsked: !isByAmount }
}

/** The days of a page, and how many matching rows of them come before it. Months that the page lies in are split into days. */
async function locatePage(
  { queryable, application, filter, matching }: Search,
  sort: 'newest' | 'oldest',
): Promise<{ periods: Period[]; offset: bigint }> {
  const inOrder = (periods: Period[]) => (sort === 'oldest' ? periods : periods.toReversed())
  const rough = periodsOfPage(inOrder(matching), filter)
  const months = rough.periods.filter((period) => period.isMonth)
  if (months.length === 0) return rough
  const days = (await splitMonths(queryable, application, filter, inOrder(rough.periods), months)).filter((day) => day.matching > 0n)
  return periodsOfPage(inOrder(days), filter, rough.countBefore)
}

/** The periods that a page lies in. `countBefore`: how many rows match before the first of them. */
function periodsOfPage(periods: readonly Period[], { page, size }: TransactionFilter, countBefore = 0n) {
  const begin = BigInt(page) * BigInt(size)
  const end = begin + BigInt(size)
  const found: Period[] = []
  let counted = countBefore
  let countBeforeFound = countBefore
  for (const period of periods) {
    const countAfter = counted + period.matching
    if (countAfter > begin && counted < end) {
      if (found.length === 0) countBeforeFound = counted
      found.push(period)
    }
    counted = countAfter
  }
  return { periods: found, countBefore: countBeforeFound, offset: begin - countBeforeFound }
}

/** Whether an index finds all of them: of webhooks that are not delivered, or of those that ended within a day or two. */
function hasFewWebhooks({ webhook, webhookAfter, webhookBefore }: TransactionFilter): boolean {
  if (webhook !== 'delivered') return webhook !== null
  if (webhookAfter === null || webhookBefore === null) return false
  return Date.parse(webhookBefore) - Date.parse(webhookAfter) <= WEBHOOK_WINDOW_MS_MAX
}

async function searchByRows(search: Search): Promise<SearchedPage> {
  const { queryable, applicationId, filter } = search
  // Phone numbers, batches and refunds have indexes of their own, so they are searched to the end.
  const isNarrow =
    filter.phone.length >= 8 || filter.batch !== null || filter.refund !== null || filter.unconfirmed !== null || hasFewWebhooks(filter)
  const { periods, searchedBackTo } = isNarrow ? { periods: search.matching, searchedBackTo: null } : await periodsWithinBudget(search)
  if (periods.length === 0) return { rows: [], total: 0n, sums: [], searchedBackTo, isSortedAsAsked: true }
  const sums = await sumRows(queryable, applicationId, filter, joinRanges(periods))
  const total = sums.reduce((sum, one) => sum + one.count, 0n)
  // The rows are read a second time: keeping all that match costs more, and the second read mostly ends with the page.
  const rows = total === 0n ? [] : await selectPage(search, periods)
  return { rows, total, sums, searchedBackTo, isSortedAsAsked: true }
}

/** The page among the rows of these periods that match the filter. */
function selectPage({ queryable, applicationId, filter }: Search, periods: readonly Period[]): Promise<Transaction[]> {
  if (periods.length === 0) return Promise.resolve([])
  const offset = BigInt(filter.page) * BigInt(filter.size)
  return selectRows(queryable, applicationId, filter, { ranges: joinRanges(periods), offset, limit: filter.size })
}

type Budgeted = { periods: Period[]; searchedBackTo: string | null }

/** The newest matching days that together have at most `scanMax` transactions; at least one day. */
async function periodsWithinBudget({ queryable, application, filter, matching, scanMax }: Search): Promise<Budgeted> {
  const rough = newestWithin(matching, scanMax)
  if (!rough.stoppedAt?.isMonth) return rough
  // The month in which the budget ends is split, so that the result says the day up to which the search went.
  const split = await splitMonths(queryable, application, filter, matching, [rough.stoppedAt])
  return newestWithin(
    split.filter((period) => period.matching > 0n),
    scanMax,
  )
}

function newestWithin(matching: readonly Period[], scanMax: bigint): Budgeted & { stoppedAt?: Period } {
  const periods: Period[] = []
  let scanned = 0n
  for (const period of matching.toReversed()) {
    const isFirstDay = periods.length === 0 && !period.isMonth
    if (!isFirstDay && scanned + period.all > scanMax)
      return { periods, searchedBackTo: periods.at(-1)?.firstDay ?? null, stoppedAt: period }
    scanned += period.all
    periods.push(period)
  }
  return { periods, searchedBackTo: null }
}

/**
 * Returns one page of the transaction list with the notes of its rows, ready for JSON. Counts, rows and notes are of one instant: the
 * counts say where the page begins, so a row that moved in between would be skipped, or shown on two pages.
 */
export function readTransactionList(pool: Pool, application: BusinessTime, filter: TransactionFilter): Promise<TransactionListDto> {
  return withSnapshot(pool, (snapshot) => readPage(snapshot, application, filter))
}

async function readPage(queryable: Queryable, application: BusinessTime, filter: TransactionFilter): Promise<TransactionListDto> {
  const found = await searchTransactions(queryable, application, filter)
  // A final transaction that a program made has no notes.
  const withNotes = found.rows.filter((row) => !isFinalStatus(row.status) || row.makerId !== null).map((row) => row.transactionId)
  const notes = withNotes.length === 0 ? [] : await selectRowNotes(queryable, application.applicationId, withNotes)
  const final = found.rows.filter((row) => isFinalStatus(row.status)).map((row) => row.transactionId)
  const adjusted = final.length === 0 ? undefined : await listAdjustments(queryable, application.applicationId, final)
  const ids = found.rows.map((row) => row.transactionId)
  const refunds = ids.length === 0 ? undefined : await readRefundFacts(queryable, application.applicationId, ids)
  const byId = new Map(notes.map((note) => [note.transactionId, note]))
  return {
    rows: found.rows.map((row) => {
      const { transactionId, amountMinor } = row
      const marks = { adjustments: adjusted?.get(transactionId) ?? [], refund: refundMark(amountMinor, refunds?.get(transactionId)) }
      return toRow(row, byId.get(transactionId), marks)
    }),
    total: Number(found.total),
    sums: inOrder(filter.fees === null ? found.sums : await withFees(queryable, application, filter, found.sums)).map(toSumDto),
    searchedBackTo: found.searchedBackTo,
    isSortedAsAsked: found.isSortedAsAsked,
  }
}

/** By currency and status, each in the order of its list; collects before deposits. */
function inOrder(sums: readonly PartSum[]): PartSum[] {
  const rank = ({ currency, status, type }: PartSum) =>
    CURRENCIES.indexOf(currency) * 100 + TRANSACTION_STATUSES.indexOf(status) * 10 + TRANSACTION_TYPES.indexOf(type)
  return sums.toSorted((left, right) => rank(left) - rank(right))
}

/** The sums with the fees of what succeeded, from the roll-ups of the totals where rows were not added up one by one. */
async function withFees(
  queryable: Queryable,
  application: BusinessTime,
  filter: TransactionFilter,
  sums: readonly PartSum[],
): Promise<PartSum[]> {
  if (sums.every((sum) => sum.feesMinor !== null)) return [...sums]
  const { from, to } = filter
  const [fees] = await readFees(queryable, application, { from, to, type: null, operators: filteredOperators(filter) ?? [] }, [
    { from, to },
  ])
  if (fees === undefined) return [...sums]
  return sums.map((sum) => {
    if (sum.status !== 'SUCCESS') return sum
    const own = fees.filter(({ operator, type }) => type === sum.type && OPERATORS[operator].country.currency === sum.currency)
    return { ...sum, feesMinor: own.reduce((total, fee) => total + fee.feeSystemMinor + fee.feeAppMinor, 0n) }
  })
}

/** A sum for JSON. */
function toSumDto({ currency, type, status, count, amountMinor, feesMinor }: PartSum): ListSumDto {
  const fees = feesMinor === null ? null : formatMinor(feesMinor)
  return { currency, type, status, count: Number(count), amount: formatMinor(amountMinor), fees }
}

function toRow(row: Transaction, extra: RowNote | undefined, marks: Pick<TransactionRow, 'adjustments' | 'refund'>): TransactionRow {
  return {
    transactionId: row.transactionId,
    externalId: row.externalId,
    createdAt: row.createdAt.toISOString(),
    finalAt: row.finalAt?.toISOString() ?? null,
    type: row.type,
    status: row.status,
    ...marks,
    operator: row.operator,
    currency: row.currency,
    amount: formatMinor(row.amountMinor),
    fees: formatMinor(row.feeSystemMinor + row.feeAppMinor),
    ...pickTexts(row),
    phoneNumber: row.phoneNumber,
    payToken: row.payToken,
    makerName: extra?.makerName ?? null,
    note: noteOf(row, extra),
  }
}

/** The note of a row besides its status: why it failed, since when it is unconfirmed, or how many approvals it has. */
function noteOf(row: Transaction, extra: RowNote | undefined): TransactionNote | null {
  if (row.status === 'FAILED') return row.message === null ? null : { kind: 'message', text: row.message }
  if (row.status === 'PENDING' && extra?.unconfirmedSince) return { kind: 'unconfirmed', since: extra.unconfirmedSince.toISOString() }
  const needed = extra?.approvalsNeeded ?? null
  if (row.status === 'PENDING_APPROVAL' && needed !== null) return { kind: 'approvals', done: extra?.approvalsDone ?? 0, needed }
  return null
}
