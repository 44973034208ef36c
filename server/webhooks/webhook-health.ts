import type { Queryable } from '#server/database/pool.ts'
import { selectHealth } from './history-store.ts'

/** How many deliveries of one receiver ended within the window, and how many are due. */
type TargetHealth = {
  target: string
  delivered: number
  due: number
  exhausted: number
  lastDeliveredAt: Date | null
  /** A delivery is exhausted, or has been due for longer than a first attempt takes. */
  isTroubled: boolean
}

export type WebhookHealth = {
  /** Covers deliveries that ended at `after` or later and before `before`. */
  after: Date
  before: Date
  delivered: number
  due: number
  exhausted: number
  targets: TargetHealth[]
}

const TARGETS_MAX = 100

/**
 * Returns an application's webhooks of the last 24 hours: deliveries, never attempts, so that each figure is a list of transactions. At
 * most a hundred receivers are listed, those with most exhausted deliveries first; the sums include all.
 */
export async function webhookHealth(queryable: Queryable, applicationId: string): Promise<WebhookHealth> {
  const rows = await selectHealth(queryable, applicationId, TARGETS_MAX)
  const [all] = rows
  if (!all) throw new Error('A sum over nothing is a row too')
  const countsOf = (row: typeof all) => ({ delivered: Number(row.delivered), due: Number(row.due), exhausted: Number(row.exhausted) })
  return {
    after: all.from_at,
    before: all.until_at,
    ...countsOf(all),
    targets: rows.flatMap((row) => {
      if (row.target === null) return []
      return [{ target: row.target, ...countsOf(row), lastDeliveredAt: row.last_delivered_at, isTroubled: row.is_troubled }]
    }),
  }
}
