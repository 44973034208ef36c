import type { Queryable } from '#server/database/pool.ts'
import { idleBefore } from './find-signed-in.ts'
import { selectAdmitted } from './signed-in-store.ts'

/** The session of a person who has a page of an application open. */
export type Subscriber = { personId: string; epoch: number; sessionId: string; applicationId: string }

/**
 * Returns which of these may still receive updates: not blocked, not signed out here or everywhere, not idle, still an active member with a role and with
 * the second factor that the application requires. One statement for any number of them; the result contains the indexes in the list.
 */
export async function findAdmitted(queryable: Queryable, subscribers: readonly Subscriber[], now: Date): Promise<Set<number>> {
  return subscribers.length === 0 ? new Set() : new Set(await selectAdmitted(queryable, subscribers, idleBefore(now)))
}
