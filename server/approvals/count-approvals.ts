import { type ApprovalProgress, approvalProgress } from '#lib/approval-verdict.ts'

/**
 * Counts the approvals of a transaction. Only those of people who may still approve count: if a checker was blocked, left the
 * application or lost the role, another one is needed.
 */
export function countApprovals(
  steps: readonly number[],
  decisions: readonly { decision: 'validated' | 'rejected'; counts: boolean }[],
): ApprovalProgress {
  return approvalProgress(steps, decisions.filter((one) => one.decision === 'validated' && one.counts).length)
}
