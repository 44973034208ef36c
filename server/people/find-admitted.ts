import type { Queryable } from '#server/database/pool.ts'
import { selectAdmitted } from './signed-in-store.ts'

/** A session of a person that looks at an application. */
export type Subscriber = { personId: string; epoch: number; sessionId: string; applicationId: string }

/**
 * Which of these may still look: not blocked, not signed out here or everywhere, still an active member with a role and with
 * the second factor that the application requires. One statement for any number of them; returns the places in the list.
 */
export async function findAdmitted(queryable: Queryable, onlookers: readonly Subscriber[]): Promise<Set<number>> {
  return onlookers.length === 0 ? new Set() : new Set(await selectAdmitted(queryable, onlookers))
}
