import type { ApprovalView } from '#lib/approvals.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ApprovalViewer, findApproval } from './list-approvals.ts'
import { readEvidence } from './read-evidence.ts'

/** One transaction that has or had to be approved, with its evidence, as this person may see and use it at `now`. */
export async function readApproval(
  queryable: Queryable,
  viewer: ApprovalViewer,
  transactionId: string,
  now: Date,
): Promise<ApprovalView | undefined> {
  const [row, evidence] = await Promise.all([
    findApproval(queryable, viewer, transactionId, now),
    readEvidence(queryable, viewer.applicationId, transactionId),
  ])
  return row && evidence && { row, evidence }
}
