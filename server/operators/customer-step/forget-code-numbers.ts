import type { Pool } from '#server/database/pool.ts'
import { removeCodeNumbersBefore } from './code-number-store.ts'

const DAY_MS = 86_400_000

/** Removes the numbers whose last code request is at least a day old. */
export async function forgetCodeNumbers(pool: Pool, now: Date): Promise<void> {
  await removeCodeNumbersBefore(pool, new Date(now.getTime() - DAY_MS))
}
