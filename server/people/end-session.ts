import { ok } from '#lib/result.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { deleteSessionsBefore } from './person-session-store.ts'
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

/** Removes sessions, and the notes of ended ones, that would have ended anyway. For the scheduled cleaning; returns how many notes. */
export async function pruneEndedSessions(queryable: Queryable, now: Date): Promise<number> {
  // An hour more: a process whose clock is behind must not accept such a session again.
  const before = new Date(now.getTime() - 60 * 60_000)
  await deleteSessionsBefore(queryable, before)
  return deleteEndedSessionsBefore(queryable, before)
}
