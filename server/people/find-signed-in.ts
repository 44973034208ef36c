import type { Queryable } from '#server/database/pool.ts'
import { readSignedIn, type SignedInRow } from './signed-in-store.ts'

export type SessionPerson = Omit<SignedInRow, 'isBlocked' | 'sessionEpoch' | 'isSessionEnded'>

/**
 * The person behind a session, read from the database on each request: undefined if there is no such person, if the
 * person is blocked, when the session was signed out, and when all sessions of its epoch have ended.
 */
export async function findSignedIn(
  queryable: Queryable,
  session: { personId: string; epoch: number; sessionId: string },
): Promise<SessionPerson | undefined> {
  const row = await readSignedIn(queryable, session.personId, session.sessionId)
  if (!row || row.isBlocked || row.isSessionEnded || row.sessionEpoch !== session.epoch) return undefined
  const { isBlocked: _, sessionEpoch: __, isSessionEnded: ___, ...person } = row
  return person
}
