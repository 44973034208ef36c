import type { Queryable } from '#server/database/pool.ts'
import { readMember } from './person-queries.ts'
import { type SessionListing, selectSessions } from './person-session-store.ts'

export type { SessionListing }

const LISTED_MAX = 50

/**
 * Returns the sessions of a member that were used in this application, the last used first; none for a person who is not an active member
 * here.
 */
export async function listMemberSessions(
  queryable: Queryable,
  request: { applicationId: string; personId: string; now: Date },
): Promise<SessionListing[]> {
  const member = await readMember(queryable, request.applicationId, request.personId)
  return member?.isActive ? selectSessions(queryable, request.applicationId, request.personId, request.now, LISTED_MAX) : []
}
