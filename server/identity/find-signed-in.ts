import type { Queryable } from '#server/database/pool.ts'
import { readSignedIn, type SignedInRow } from './signed-in-store.ts'

export type SessionPerson = Omit<SignedInRow, 'isBlocked' | 'sessionEpoch'>

/**
 * The person behind a session, read from the database each time (DESIGN 13): undefined when there is nobody of this id, when the
 * person is blocked, or when the session is older than "sign out everywhere".
 */
export async function findSignedIn(queryable: Queryable, session: { personId: string; epoch: number }): Promise<SessionPerson | undefined> {
  const row = await readSignedIn(queryable, session.personId)
  if (!row || row.isBlocked || row.sessionEpoch !== session.epoch) return undefined
  const { isBlocked: _, sessionEpoch: __, ...person } = row
  return person
}
