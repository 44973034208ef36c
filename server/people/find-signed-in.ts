import { DECIDING_ROLES } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { NOTED_EVERY_MS } from './note-session-use.ts'
import { readSignedIn, type SignedInRow } from './signed-in-store.ts'

export type SessionPerson = Omit<SignedInRow, 'isBlocked' | 'sessionEpoch' | 'isSessionEnded'>

/**
 * How long a session lasts without use where its person may decide about money or access: 30 minutes. Uses are noted once a minute, so the
 * last one may be that much later.
 */
const IDLE_MS_MAX = 30 * 60_000 + NOTED_EVERY_MS

/** Sessions of people who decide end if they were last noted as used before this instant. */
export function idleBefore(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS_MAX)
}

/**
 * Returns the person behind a session, read from the database on each request: undefined if there is no such person, if the
 * person is blocked, when the session was signed out, when all sessions of its epoch have ended, and when a person who may decide has
 * not used it for 30 minutes.
 */
export async function findSignedIn(
  queryable: Queryable,
  session: { personId: string; epoch: number; sessionId: string },
  now: Date,
): Promise<SessionPerson | undefined> {
  const row = await readSignedIn(queryable, session.personId, session.sessionId)
  if (!row || row.isBlocked || row.isSessionEnded || row.sessionEpoch !== session.epoch) return undefined
  if (row.sessionUsedAt && row.sessionUsedAt < idleBefore(now) && mayDecide(row)) return undefined
  const { isBlocked: _, sessionEpoch: __, isSessionEnded: ___, ...person } = row
  return person
}

function mayDecide({ memberships }: SignedInRow): boolean {
  return memberships.some(({ roles }) => roles.some((role) => DECIDING_ROLES.includes(role)))
}
