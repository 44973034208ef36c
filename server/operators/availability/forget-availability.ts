import { HISTORY_DAYS } from '#lib/operator-outcomes.ts'
import type { Pool } from '#server/database/pool.ts'
import { removeAvailabilityBefore } from './availability-store.ts'

const DAY_MS = 86_400_000

/** Removes the changes of availability that are too old for any page to show. */
export async function forgetAvailability(pool: Pool, now: Date): Promise<void> {
  await removeAvailabilityBefore(pool, new Date(now.getTime() - (HISTORY_DAYS + 2) * DAY_MS))
}
