import type { DisturbedDirection } from '#lib/availability.ts'
import { OPEN_SERVICE } from '#server/applications/snapshot.ts'
import { listServices } from '#server/applications/terms-queries.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listAvailability } from './availability-queries.ts'

/** The directions that are not OPERATIONAL now, of those that an application may use. */
export async function listDisturbed(queryable: Queryable, applicationId: string): Promise<DisturbedDirection[]> {
  const [rows, services] = await Promise.all([listAvailability(queryable), listServices(queryable, applicationId)])
  return rows.flatMap(({ operator, type, state, since, fault, isReopened }): DisturbedDirection[] => {
    if (state === 'OPERATIONAL') return []
    const service = services.find((each) => each.operator === operator && each.type === type) ?? OPEN_SERVICE
    return service.isEnabled ? [{ operator, type, state, since: since.toISOString(), fault, isReopened }] : []
  })
}
