import type { Queryable } from '#server/database/pool.ts'
import { type AuditFilter, type AuditPlace, readFirstTime, type StoredEntry, selectEntries } from './audit-store.ts'

export type { AuditFilter, StoredEntry }

/** Returns entries of an application that match a filter, newest first. The sequence is the cursor: entries never move. */
export function findEntries(
  queryable: Queryable,
  applicationId: string,
  filter: AuditFilter,
  place: AuditPlace,
  limit: number,
): Promise<StoredEntry[]> {
  return selectEntries(queryable, applicationId, filter, place, limit)
}

/** The start of an application's record; undefined if it has none. */
export function readChainStart(queryable: Queryable, applicationId: string): Promise<Date | undefined> {
  return readFirstTime(queryable, applicationId)
}
