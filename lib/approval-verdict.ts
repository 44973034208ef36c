import type { Role } from './permissions.ts'
import type { TransactionStatus } from './transaction-status.ts'

/** Why a person may not decide on a transaction now. Each has a sentence in lib/i18n. */
export type DecisionObstacle = 'not_a_checker' | 'is_maker' | 'not_waiting' | 'expired' | 'decided_already'

/** Why nobody may approve a transaction now, whoever looks: it could not be started now either. Rejecting stays possible. */
export type TermsObstacle = 'application_disabled' | 'service_disabled'

type DecisionFacts = {
  person: { id: string; roles: readonly Role[] }
  makerId: string | null
  status: TransactionStatus
  isExpired: boolean
  deciderIds: readonly string[]
}

/**
 * Whether a person may decide on a transaction: true, or the first reason why not. The one rule behind the API, the
 * commands and the buttons. Persons before states: what somebody may never do is not explained by the state.
 */
export function canDecide(facts: DecisionFacts): true | DecisionObstacle {
  if (!facts.person.roles.includes('checker')) return 'not_a_checker'
  if (facts.makerId === facts.person.id) return 'is_maker'
  if (facts.status !== 'PENDING_APPROVAL') return 'not_waiting'
  if (facts.isExpired) return 'expired'
  if (facts.deciderIds.includes(facts.person.id)) return 'decided_already'
  return true
}

type TermsFacts = { isApplicationEnabled: boolean; isServiceEnabled: boolean }

/** The same for an approval, which also needs the application and its transfer service to be switched on. */
export function canApprove(facts: DecisionFacts & TermsFacts): true | DecisionObstacle | TermsObstacle {
  const verdict = canDecide(facts)
  if (verdict !== true) return verdict
  if (!facts.isApplicationEnabled) return 'application_disabled'
  return facts.isServiceEnabled ? true : 'service_disabled'
}

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
