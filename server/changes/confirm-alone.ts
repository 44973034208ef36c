import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { Queryable } from '#server/database/pool.ts'
import { isSandbox } from './change-store.ts'
import { KINDS } from './kinds.ts'

/**
 * Whether its proposer alone may confirm a kind of change: one that makes a secret, in a sandbox. The secrets of a sandbox guard invented money, and
 * an engineer who tries the service out has no colleague there. Everything else needs two people in a sandbox as well, so that it works as
 * production does.
 */
export async function mayConfirmAlone(queryable: Queryable, kind: ChangeKindName): Promise<boolean> {
  return KINDS[kind].makesSecret && (await isSandbox(queryable))
}
