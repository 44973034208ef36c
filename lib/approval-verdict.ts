/** Why a person may not decide on a transaction now (`server/approvals/may-decide.ts`). Each has a sentence in lib/i18n. */
export type DecisionObstacle = 'not_a_checker' | 'is_maker' | 'not_waiting' | 'expired' | 'decided_already'

/** The transaction is a row of a batch, and people decide on the whole batch. */
export type BatchRowObstacle = 'in_batch'

/** Why nobody may approve a transaction now: it could not be started now either. It can still be rejected. */
export type TermsObstacle = 'application_disabled' | 'service_disabled'

export type ApprovalProgress = { step: number; stepCount: number; given: number; needed: number; isComplete: boolean }

/** How far the approvals are: the step that is open, and given and needed over all steps. */
export function approvalProgress(steps: readonly number[], validated: number): ApprovalProgress {
  const needed = steps.reduce((sum, count) => sum + count, 0)
  const isInFirst = validated < (steps[0] ?? 0)
  return {
    step: isInFirst ? 1 : steps.length,
    stepCount: steps.length,
    given: Math.min(validated, needed),
    needed,
    isComplete: validated >= needed,
  }
}
