import type { Queryable } from '#server/database/pool.ts'
import { selectAdmitted } from './signed-in-store.ts'

/** A person whose session of this generation looks at an application. */
export type Onlooker = { personId: string; epoch: number; applicationId: string }

/**
 * Which of these may still look: not blocked, not signed out everywhere since, still an active member with a role. One statement
 * for any number of them; gives the places in the list.
 */
export async function findAdmitted(queryable: Queryable, onlookers: readonly Onlooker[]): Promise<Set<number>> {
  return onlookers.length === 0 ? new Set() : new Set(await selectAdmitted(queryable, onlookers))
}
