import type { Queryable } from '#server/database/pool.ts'
import { type PolicyRow, readPolicies, readPolicy } from './policy-store.ts'

/** Returns the newest 100 versions of an application's approval policy, newest first: proposals, the active one and earlier ones. */
export async function listPolicies(queryable: Queryable, applicationId: string): Promise<PolicyRow[]> {
  return readPolicies(queryable, applicationId, 100)
}

/** Returns one version, however old; undefined if there is none. */
export async function findPolicy(queryable: Queryable, applicationId: string, version: number): Promise<PolicyRow | undefined> {
  return (await readPolicy(queryable, applicationId, version)).policy
}
