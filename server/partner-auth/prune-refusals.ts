import type { Queryable } from '#server/database/pool.ts'
import { deleteRefusalsBefore } from './caller-records-store.ts'

const KEPT_MS = 30 * 24 * 3_600_000

/** Removes refusals older than thirty days. For the scheduled cleaning. Returns how many. */
export function pruneRefusals(queryable: Queryable, now: Date): Promise<number> {
  return deleteRefusalsBefore(queryable, new Date(now.getTime() - KEPT_MS))
}
