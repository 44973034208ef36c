import type { Queryable } from '#server/database/pool.ts'
import { readSecondFactorState } from './second-factor-store.ts'

export type OwnSecondFactor = { enabledAt: Date | null; recoveryCodesLeft: number }

/** Since when a person's second factor is on (null: it is off), and how many recovery codes they have not used. */
export async function readOwnSecondFactor(queryable: Queryable, personId: string): Promise<OwnSecondFactor> {
  return readSecondFactorState(queryable, personId)
}
