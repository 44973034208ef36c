import type { Pool } from '#server/database/pool.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type Settler, SYSTEM_ACTOR } from '#server/transactions/transition.ts'
import { selectExpired } from './approval-store.ts'

/** The message of a transaction that was not decided in time, for partner and maker. */
export const EXPIRED_MESSAGE = "Délai d'approbation dépassé"

const BATCH = 200

type ExpireDeps = { pool: Pool; settler: Pick<Settler, 'settle'>; logger: Pick<Logger, 'error'> }

/**
 * Ends waiting transactions that have expired as FAILED, with a webhook like any other result. Safe in several processes
 * at once: the guarded update lets one of them move each. One that cannot be moved is logged and does not keep the others
 * waiting. Returns how many it moved.
 */
export async function expireApprovals({ pool, settler, logger }: ExpireDeps): Promise<number> {
  let moved = 0
  // Rows that could not be moved are still there, ahead of the rest.
  let stuck = 0
  for (;;) {
    const expired = await selectExpired(pool, BATCH, stuck)
    await Promise.all(
      expired.map(async (one) => {
        try {
          const outcome = await settler.settle({ ...one, event: 'expired', message: EXPIRED_MESSAGE, actor: SYSTEM_ACTOR })
          if (outcome?.isMoved) moved++
        } catch (error) {
          stuck++
          reportUnexpected('approvals: expire', error, {
            logger,
            ...one,
            message: 'A transaction whose approval expired could not be ended',
          })
        }
      }),
    )
    if (expired.length < BATCH) return moved
  }
}
