import type { Queryable } from '#server/database/pool.ts'
import { upsertApplicationSession, upsertSession } from './person-session-store.ts'

/** "Last used" is right to this; a session is written at most once in this time, however many requests it makes. */
export const NOTED_EVERY_MS = 60_000
const USER_AGENT_LENGTH_MAX = 300

type SessionUse = {
  personId: string
  epoch: number
  sessionId: string
  startedAt: Date
  endsAt: Date
  address: string
  userAgent: string
  /** When it was last noted, as `findSignedIn` read it with the person. */
  notedAt: Date | null
}

/** Notes that a session is used, from where and with which browser, if that was not done in the last minute. */
export async function noteSessionUse(queryable: Queryable, use: SessionUse, now: Date): Promise<void> {
  const noteBefore = new Date(now.getTime() - NOTED_EVERY_MS)
  if (use.notedAt !== null && use.notedAt > noteBefore) return
  const userAgent = storedUserAgent(use.userAgent)
  await upsertSession(queryable, { ...use, userAgent, address: use.address.slice(0, 64), at: now }, noteBefore)
}

type ApplicationUse = Pick<SessionUse, 'personId' | 'sessionId' | 'address' | 'userAgent' | 'notedAt'> & { applicationId: string }

/**
 * Notes that a session is used in an application, if that was not done in the last minute: its administrators see and end only such
 * sessions. The session itself has been noted before.
 */
export async function noteApplicationUse(queryable: Queryable, use: ApplicationUse, now: Date): Promise<void> {
  const noteBefore = new Date(now.getTime() - NOTED_EVERY_MS)
  if (use.notedAt !== null && use.notedAt > noteBefore) return
  const stored = { ...use, userAgent: storedUserAgent(use.userAgent), address: use.address.slice(0, 64), at: now }
  await upsertApplicationSession(queryable, stored, noteBefore)
}

/** The name of a browser as it is stored: text that PostgreSQL can hold, cut to its length. */
export function storedUserAgent(userAgent: string): string {
  return userAgent.toWellFormed().replaceAll('\0', '').slice(0, USER_AGENT_LENGTH_MAX).toWellFormed()
}
