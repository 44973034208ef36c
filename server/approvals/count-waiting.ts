import { can, type Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { countWaitingFor } from './waiting-store.ts'

/** Beyond this the interface shows a plus: nobody reads the difference, and the count stays cheap. */
const COUNTED_MAX = 1_000

type Waiting = { count: number; isMore: boolean; oldestAt: Date | null }

/** How many transactions wait for this person's decision, at most 1,000, and since when the oldest does; none without the permission. */
export async function countWaiting(
  queryable: Queryable,
  applicationId: string,
  personId: string,
  roles: readonly Role[],
): Promise<Waiting> {
  if (!can(roles, 'transaction:decide')) return { count: 0, isMore: false, oldestAt: null }
  const { count, oldestAt } = await countWaitingFor(queryable, applicationId, personId, COUNTED_MAX)
  return { count, isMore: count >= COUNTED_MAX, oldestAt }
}
