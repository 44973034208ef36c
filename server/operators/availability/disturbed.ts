import { formatMinor } from '#lib/money/money.ts'
import { type DisturbedDirection, HISTORY_DAYS } from '#lib/operators/operator-outcomes.ts'
import { OPEN_SERVICE } from '#server/applications/snapshot.ts'
import { listServices } from '#server/applications/terms-store.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { listFloatWaits } from '../balances/float-store.ts'
import { listAvailability, removeAvailabilityBefore } from './availability-store.ts'

/** The directions that are not OPERATIONAL now, or whose deposits wait for float, of those that an application may use. */
export async function listDisturbed(queryable: Queryable, applicationId: string): Promise<DisturbedDirection[]> {
  const [rows, waits, services] = await Promise.all([
    listAvailability(queryable),
    listFloatWaits(queryable, applicationId),
    listServices(queryable, applicationId),
  ])
  const closed = rows.flatMap(({ operator, type, state, since, fault, isReopened }): DisturbedDirection[] =>
    state === 'OPERATIONAL' ? [] : [{ operator, type, state, since: since.toISOString(), fault, isReopened, missing: null }],
  )
  const short = waits.map(({ operator, since, missingMinor }): DisturbedDirection => {
    const missing = missingMinor === null ? null : formatMinor(missingMinor)
    return { operator, type: 'DEPOSIT', state: 'SHORT', since: since.toISOString(), fault: null, isReopened: false, missing }
  })
  return [...closed, ...short].filter(({ operator, type }) => {
    const service = services.find((each) => each.operator === operator && each.type === type) ?? OPEN_SERVICE
    return service.isEnabled
  })
}

const DAY_MS = 86_400_000

/** Removes the changes of availability that are too old for any page to show. */
export async function forgetAvailability(pool: Pool, now: Date): Promise<void> {
  await removeAvailabilityBefore(pool, new Date(now.getTime() - (HISTORY_DAYS + 2) * DAY_MS))
}
