import type { Queryable } from '#server/database/pool.ts'
import { selectChangeNumbers } from './change-store.ts'

/** How often each of these applications has changed; a number that moved means that something a page shows may be old. */
export async function readChangeNumbers(queryable: Queryable, applicationIds: readonly string[]): Promise<Map<string, bigint>> {
  if (applicationIds.length === 0) return new Map()
  return new Map((await selectChangeNumbers(queryable, applicationIds)).map((row) => [row.applicationId, row.changeNumber]))
}
