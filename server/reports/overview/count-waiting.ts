import { can, type Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { countWaitingFor } from './waiting-store.ts'

/** Beyond this the badge shows a plus: nobody reads the difference, and the count stays cheap. */
const COUNTED_MAX = 1_000

/** How many transactions wait for this person's decision, at most 1,000; none for somebody who may not decide. */
export async function countWaiting(queryable: Queryable, applicationId: string, personId: string, roles: readonly Role[]): Promise<number> {
  if (!can(roles, 'transaction:decide')) return 0
  return countWaitingFor(queryable, applicationId, personId, COUNTED_MAX)
}
