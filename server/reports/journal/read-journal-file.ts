import { createHash } from 'node:crypto'
import type { JournalFile } from '#lib/reconciliation/journal.ts'
import type { Pool } from '#server/database/pool.ts'
import { withSnapshot } from '#server/database/with-transaction.ts'
import { listEntries } from '#server/reconciliation/journal/journal-store.ts'
import { journalFile } from './journal-files.ts'

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
