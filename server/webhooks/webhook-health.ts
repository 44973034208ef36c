import type { Queryable } from '#server/database/pool.ts'
import { selectHealth } from './webhook-store.ts'

/** Attempts of the last 24 hours at one receiver. `exhausted`: deliveries whose fourth attempt failed. */
export type TargetHealth = {
  target: string
  delivered: number
  failed: number
  exhausted: number
  lastAttemptAt: Date
  medianMs: number | null
}

const TARGETS_MAX = 100

/** How an application's receivers did in the last 24 hours, the one with most failures first, at most a hundred. */
export async function webhookHealth(queryable: Queryable, applicationId: string): Promise<TargetHealth[]> {
  const rows = await selectHealth(queryable, applicationId, TARGETS_MAX)
  return rows.map((row) => ({
    target: withoutCredentials(row.target),
    delivered: Number(row.delivered),
    failed: Number(row.failed),
    exhausted: Number(row.exhausted),
    lastAttemptAt: row.last_at,
    medianMs: row.median_ms,
  }))
}

/** A receiver's address may hold a user name and a password; nobody needs to see them. */
function withoutCredentials(target: string): string {
  return target.replace(/^([a-z]+:\/\/)[^/]*@/, '$1')
}
