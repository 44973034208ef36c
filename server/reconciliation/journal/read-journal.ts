import { formatMinor } from '#lib/money/money.ts'
import type { JournalEntryDto, JournalLineDto } from '#lib/reconciliation/journal.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type EntryScope, listEntries, listEntryPage, type StoredEntry } from './journal-store.ts'

export const JOURNAL_PAGE_SIZE = 50

/** A page of entries, the newest first, and the number of all. */
export async function readJournalPage(
  queryable: Queryable,
  { page, ...scope }: EntryScope & { page: number },
): Promise<{ rows: JournalEntryDto[]; total: number }> {
  const { rows, total } = await listEntryPage(queryable, scope, { limit: JOURNAL_PAGE_SIZE, offset: page * JOURNAL_PAGE_SIZE })
  return { rows: rows.map(toDto), total }
}

/** One entry with its lines; undefined if the installation has none of this number. */
export async function readJournalEntry(
  queryable: Queryable,
  { applicationId, number }: { applicationId: string; number: number },
): Promise<{ entry: JournalEntryDto; lines: JournalLineDto[] } | undefined> {
  const [found] = await listEntries(queryable, { applicationId, number })
  if (!found) return undefined
  const lines = found.lines.map(({ amountMinor, ...line }) => ({
    ...line,
    debit: amountMinor > 0n ? formatMinor(amountMinor) : null,
    credit: amountMinor < 0n ? formatMinor(-amountMinor) : null,
  }))
  return { entry: toDto(found), lines }
}

function toDto({ debitMinor, numberedAt, mappingVersion: _, ...entry }: StoredEntry): JournalEntryDto {
  return { ...entry, total: formatMinor(debitMinor), numberedAt: numberedAt.toISOString() }
}
