import { can, type Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { countBatchesFor } from './batch-store.ts'
import { countWaitingFor } from './waiting-store.ts'

/** Beyond this the interface shows a plus: the exact number helps no reader, and the count stays cheap. */
const COUNTED_MAX = 1_000

type Waiting = { count: number; isMore: boolean; oldestAt: Date | null }

/**
 * How many items wait for this person's decision, at most 1,000 transactions and every batch as one, and since when the oldest does; none
 * without the permission.
 */
export async function countWaiting(
  queryable: Queryable,
  applicationId: string,
  personId: string,
  roles: readonly Role[],
): Promise<Waiting> {
  if (!can(roles, 'transaction:decide')) return { count: 0, isMore: false, oldestAt: null }
  const [alone, batches] = await Promise.all([
    countWaitingFor(queryable, applicationId, personId, COUNTED_MAX),
    countBatchesFor(queryable, { applicationId, id: personId }),
  ])
  const count = alone.count + batches.count
  return { count, isMore: count >= COUNTED_MAX, oldestAt: earlier(alone.oldestAt, batches.oldestAt) }
}

function earlier(left: Date | null, right: Date | null): Date | null {
  return left === null || (right !== null && right < left) ? right : left
}
