import { type ApprovalProgress, approvalProgress } from '#lib/approval-verdict.ts'

/**
 * How far the approvals of an item are. Only those count that were given by people who may still approve: a checker who was
 * blocked, left the application or lost the role does not stand for the payment any more, and another one is needed.
 */
export function countApprovals(
  steps: readonly number[],
  decisions: readonly { decision: 'validated' | 'rejected'; counts: boolean }[],
): ApprovalProgress {
  return approvalProgress(steps, decisions.filter((one) => one.decision === 'validated' && one.counts).length)
}
