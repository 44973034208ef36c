import { ok } from '#lib/result.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { countZone } from './count-zone.ts'
import { deleteZone, isWanted, selectUnusedZones, selectWantedZones } from './day-zone-store.ts'
import { changeZone } from './set-time-zone.ts'

/**
 * Switches each application to the zone that two administrators chose, as soon as its sums are counted: until then it keeps the days of the
 * zone before. An application that cannot be counted holds up no other. Removes the sums of zones that were left more than a day ago, when
 * no process reads them.
 */
export async function countWantedZones(pool: Pool, isEnding: () => boolean = () => false): Promise<void> {
  for (const wanted of await selectWantedZones(pool)) {
    if (isEnding()) return
    try {
      if ((await countZone(pool, wanted, isEnding)) && (await isWanted(pool, wanted)))
        await changeZone(pool, { ...wanted, actor: SYSTEM_ACTOR })
    } catch (error) {
      reportUnexpected('business days: count a zone', error, {
        message: 'The sums of a time zone could not be counted; the task of the next minute repeats it',
        applicationId: wanted.applicationId,
      })
    }
  }
  for (const unused of await selectUnusedZones(pool)) await withTransaction(pool, async (trx) => ok(await deleteZone(trx, unused)))
}
