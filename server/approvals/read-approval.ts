import type { ApprovalView } from '#lib/approvals.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectDeciders } from './evidence-store.ts'
import { type ApprovalViewer, findApproval } from './list-approvals.ts'
import { readEvidence } from './read-evidence.ts'

/** One transaction that has or had to be approved, with its evidence, as this person may see and use it at `now`. */
export async function readApproval(
  queryable: Queryable,
  viewer: ApprovalViewer,
  transactionId: string,
  now: Date,
): Promise<ApprovalView | undefined> {
  const [row, evidence, deciders] = await Promise.all([
    findApproval(queryable, viewer, transactionId),
    readEvidence(queryable, viewer.applicationId, transactionId),
    selectDeciders(queryable, viewer.applicationId, transactionId),
  ])
  if (!row || !evidence) return undefined
  const isOpen = row.status === 'PENDING_APPROVAL' && new Date(row.expiresAt) > now
  const others = deciders.filter((person) => person.personId !== viewer.id).map((person) => person.name)
  return { row, evidence, deciders: isOpen ? { isMe: others.length < deciders.length, others } : null }
}
