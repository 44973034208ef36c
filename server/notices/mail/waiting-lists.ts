import type { WaitingDto } from '#lib/pages/waiting.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { readWaiting } from '#server/reports/waiting/read-waiting.ts'
import { listOwnApplications } from '../recipient-store.ts'

/** The list of the page *Waiting for you* of one person in an application. */
export type WaitingInApplication = { slug: string; name: string; waiting: WaitingDto }

/**
 * Returns what waits for a person now, for every application of theirs in which something does. A list that cannot be read is left out and reported: the
 * notices of the mail are sent without it.
 */
export async function readWaitingLists(pool: Pool, personId: string): Promise<WaitingInApplication[]> {
  try {
    const lists: WaitingInApplication[] = []
    for (const { slug, name, ...reader } of await listOwnApplications(pool, personId)) {
      const waiting = await readWaiting(pool, reader)
      if (waiting.groups.length > 0) lists.push({ slug, name, waiting })
    }
    return lists
  } catch (error) {
    reportUnexpected('notices: waiting list', error, {
      personId,
      message: 'What waits for a person could not be read; their digest is sent without it',
    })
    return []
  }
}
