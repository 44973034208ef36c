import type { Queryable } from '#server/database/pool.ts'
import { SYSTEM_ACTOR } from '#server/transactions/actor.ts'
import { transition } from '#server/transactions/transition.ts'
import { selectExpired } from './approval-store.ts'

/** What partner and maker read of a transaction that nobody decided in time. */
export const EXPIRED_MESSAGE = "Délai d'approbation dépassé"

const BATCH = 200

/**
 * Ends waiting transactions whose time is over as FAILED, with a webhook like any other result (DESIGN 9).
 * Safe in several processes at once: the guarded update lets one of them move each. Returns how many it moved.
 */
export async function expireApprovals(queryable: Queryable): Promise<number> {
  let moved = 0
  for (;;) {
    const expired = await selectExpired(queryable, BATCH)
    if (expired.length === 0) return moved
    const outcomes = await transition(
      queryable,
      expired.map((one) => ({ ...one, event: 'expired' as const, message: EXPIRED_MESSAGE, actor: SYSTEM_ACTOR })),
    )
    moved += outcomes.filter((outcome) => outcome?.isMoved).length
    if (expired.length < BATCH) return moved
  }
}
