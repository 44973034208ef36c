import { type DisturbedDirection, HISTORY_DAYS } from '#lib/operators/operator-outcomes.ts'
import { OPEN_SERVICE } from '#server/applications/snapshot.ts'
import { listServices } from '#server/applications/terms-store.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { listAvailability, removeAvailabilityBefore } from './availability-store.ts'

/** The directions that are not OPERATIONAL now, of those that an application may use. */
export async function listDisturbed(queryable: Queryable, applicationId: string): Promise<DisturbedDirection[]> {
  const [rows, services] = await Promise.all([listAvailability(queryable), listServices(queryable, applicationId)])
  return rows.flatMap(({ operator, type, state, since, fault, isReopened }): DisturbedDirection[] => {
    if (state === 'OPERATIONAL') return []
    const service = services.find((each) => each.operator === operator && each.type === type) ?? OPEN_SERVICE
    return service.isEnabled ? [{ operator, type, state, since: since.toISOString(), fault, isReopened }] : []
  })
}

const DAY_MS = 86_400_000

/** Removes the changes of availability that are too old for any page to show. */
export async function forgetAvailability(pool: Pool, now: Date): Promise<void> {
  await removeAvailabilityBefore(pool, new Date(now.getTime() - (HISTORY_DAYS + 2) * DAY_MS))
}
