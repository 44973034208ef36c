import { err, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { storeDismissal } from '../overview/overview-store.ts'

/**
 * A maker does not want to send a returned payment again, or the returned ones of a batch, by the id of either: it no longer waits for them. The
 * payments stay as they are, and can still be sent again from their own pages. `not_found`: nothing of that id waits for this person.
 */
export function dismissReturned(
  pool: Pool,
  { applicationId, actor, id }: { applicationId: string; actor: PersonCommandActor; id: string },
): Promise<Result<void, 'not_found' | 'not_permitted'>> {
  return runCommand<void, 'not_found'>(pool, { applicationId, actor }, 'transaction:create', async (trx) => {
    const count = await storeDismissal(trx, applicationId, actor.id, id)
    return count === 0 ? err('not_found') : done({ action: 'return.dismissed', subject: id, details: { count } })
  })
}
