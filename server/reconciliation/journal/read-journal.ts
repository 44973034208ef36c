import { createHash } from 'node:crypto'
import { formatMinor } from '#lib/money/money.ts'
import type { JournalEntryDto, JournalFile, JournalLineDto } from '#lib/reconciliation/journal.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { journalFile } from './journal-files.ts'
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

/** The entries of a period in one currency as a file, and the facts about it that the audit record keeps. */
export async function readJournalFile(
  pool: Pool,
  { applicationId, after, ...file }: JournalFile & { applicationId: string },
): Promise<{ bytes: Buffer; facts: { entries: number; first: number | null; last: number | null; sha256: string } }> {
  const scope = { applicationId, from: file.from, to: file.to, currency: file.currency, after: after === '' ? null : Number(after) }
  const entries = await withSnapshot(pool, (snapshot) => listEntries(snapshot, scope))
  const bytes = journalFile(entries, file)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { bytes, facts: { entries: entries.length, first: entries[0]?.number ?? null, last: entries.at(-1)?.number ?? null, sha256 } }
}

function toDto({ debitMinor, numberedAt, mappingVersion: _, ...entry }: StoredEntry): JournalEntryDto {
  return { ...entry, total: formatMinor(debitMinor), numberedAt: numberedAt.toISOString() }
}
