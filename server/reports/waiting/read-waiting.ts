import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { pageOfWaiting, WAITING_GROUPS, type WaitingCounts, type WaitingDto, type WaitingItem } from '#lib/pages/waiting.ts'
import { dueAt, EXCEPTION_CLASSES } from '#lib/reconciliation/exceptions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { COUNTED_MAX, countWaitingGroups, listWaiting, type WaitingCountRow, type WaitingReader, type WaitingRow } from './waiting-store.ts'

/** How many items of a group are listed; the page links to the rest. */
const LISTED_MAX = 25

/** How much a person can act on now, in all and by page: one statement, for the frame of every page. */
export async function countWaiting(queryable: Queryable, reader: WaitingReader): Promise<WaitingCounts> {
  return toCounts(await countWaitingGroups(queryable, reader))
}

function toCounts(rows: readonly WaitingCountRow[]): WaitingCounts {
  const pages: WaitingCounts['pages'] = {}
  for (const { group, kind, count } of rows) {
    const page = pageOfWaiting(group, kind)
    pages[page] = (pages[page] ?? 0) + count
  }
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    isMore: WAITING_GROUPS.some((group) => countOf(rows, group) >= COUNTED_MAX),
    pages,
  }
}

function countOf(rows: readonly WaitingCountRow[], group: WaitingRow['group']): number {
  return rows.reduce((sum, row) => sum + (row.group === group ? row.count : 0), 0)
}

/**
 * Returns everything that one person can act on now, over all pages: grouped, in each group the oldest first and 25 at most. Everything that the person made,
 * has decided or may not decide is left out, by the rules of the commands themselves. For the page and for mail.
 */
export async function readWaiting(queryable: Queryable, reader: WaitingReader): Promise<WaitingDto> {
  const [counts, rows] = await Promise.all([countWaitingGroups(queryable, reader), listWaiting(queryable, reader, LISTED_MAX)])
  const groups = WAITING_GROUPS.flatMap((group) => {
    const items = rows.filter((row) => row.group === group).map(toItem)
    return items.length === 0 ? [] : [{ group, count: Math.max(items.length, countOf(counts, group)), items }]
  })
  return { ...toCounts(counts), groups }
}

function toItem({ at, expiresAt, amountMinor, currency, ...row }: WaitingRow): WaitingItem {
  const exceptionClass = EXCEPTION_CLASSES.find((each) => row.group === 'exceptions' && each === row.kind)
  const ends = exceptionClass ? dueAt(exceptionClass, at) : expiresAt
  return {
    ...row,
    at: at.toISOString(),
    expiresAt: ends?.toISOString() ?? null,
    amount: amountMinor === null ? null : formatMinor(amountMinor),
    currency: currency ?? (row.operator === null ? null : OPERATORS[row.operator].country.currency),
  }
}
