import type { Queryable } from '#server/database/pool.ts'
import { readEntriesBefore, type StoredEntry } from './audit-store.ts'

/** A page of an application's record, newest first; `before` is the last sequence of the page before it. At most 200 entries. */
export async function listAudit(
  queryable: Queryable,
  applicationId: string,
  page: { before?: bigint; size: number },
): Promise<StoredEntry[]> {
  return readEntriesBefore(queryable, applicationId, page.before ?? null, Math.min(page.size, 200))
}
