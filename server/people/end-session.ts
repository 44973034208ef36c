import { ok } from '#lib/result.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { recordPersonAct } from './record-person-act.ts'
import { deleteEndedSessionsBefore, insertEndedSession } from './signed-in-store.ts'

/**
 * Signs a person out of one session, in every process and wherever its cookie was copied to; their other sessions go on.
 * Nothing is written for a session that is over already.
 */
export async function endSession(
  pool: Pool,
  session: { personId: string; epoch: number; sessionId: string; endsAt: Date; address: string },
): Promise<void> {
  await withTransaction(pool, async (trx) => {
    if (!(await insertEndedSession(trx, session))) return ok(undefined)
    const { personId, address } = session
    await recordPersonAct(trx, { personId, action: 'person.signed_out', details: { address }, isAccountChange: false })
    return ok(undefined)
  })
}

/** Removes the note of sessions that would be over by now anyway. For the scheduled cleaning; returns how many. */
export function pruneEndedSessions(queryable: Queryable, now: Date): Promise<number> {
  // An hour more: a process whose clock is behind must not accept such a session again.
  return deleteEndedSessionsBefore(queryable, new Date(now.getTime() - 60 * 60_000))
}
