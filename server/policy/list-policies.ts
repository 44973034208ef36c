import type { Queryable } from '#server/database/pool.ts'
import { type PolicyRow, readPolicies } from './policy-store.ts'

/** The versions of an application's approval policy, newest first, at most 100: proposals, the active one, former ones. */
export async function listPolicies(queryable: Queryable, applicationId: string): Promise<PolicyRow[]> {
  return readPolicies(queryable, applicationId, 100)
}
