import type { Queryable } from '#server/database/pool.ts'
import { selectHealth } from './history-store.ts'

/** How many results one receiver was told or given up on within the window, and how many it is still to be told. */
export type TargetHealth = {
  target: string
  delivered: number
  due: number
  exhausted: number
  lastDeliveredAt: Date | null
  /** Something was given up on, or waits longer than the first attempt takes. */
  isTroubled: boolean
}

export type WebhookHealth = {
  /** What ended at `after` or later and before `before`. */
  after: Date
  before: Date
  delivered: number
  due: number
  exhausted: number
  targets: TargetHealth[]
}

const TARGETS_MAX = 100

/**
 * How an application's webhooks did in the last 24 hours: deliveries, never attempts, so that each figure is a list of transactions. At
 * most a hundred receivers are named, those with most that was given up on first; the sums are of all.
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
