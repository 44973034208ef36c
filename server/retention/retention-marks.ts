import type { RetentionKind } from '#server/config.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectRetentionMarks } from './retention-store.ts'

/** Before which instant rows of each kind may have been removed; a kind of which nothing ever was is absent. */
export async function readRetentionMarks(queryable: Queryable): Promise<Partial<Record<RetentionKind, Date>>> {
  const marks = await selectRetentionMarks(queryable)
  return Object.fromEntries(marks.map(({ kind, removedBefore }) => [kind, removedBefore]))
}
