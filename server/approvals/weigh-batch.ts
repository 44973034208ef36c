import { BASE_RULE } from '#lib/approval-policy.ts'
import type { DecisionObstacle, TermsObstacle } from '#lib/approval-verdict.ts'
import { joinSteps } from '#server/policy/bands-for.ts'
import type { BatchGroup, BatchState } from './batch-store.ts'
import { countApprovals } from './count-approvals.ts'

/** The requirements of a batch as one item, and what a person may do with it. */
export type WeighedBatch = {
  steps: number[]
  step: number
  given: number
  needed: number
  needsCode: boolean
  ruleNames: string[]
  isDefaultRule: boolean
  /** Why this person may not decide on any row; null: they may on some. */
  obstacle: DecisionObstacle | 'submitting' | null
  /** Rows that this person may decide on but nobody may approve now. */
  terms: TermsObstacle[]
}

/**
 * Joins what the rows need. The strictest of all rows counts for each of them, including rows that no longer wait: leaving out the rows
 * that need two people must not release the others after one. Approvals count from the row that has the fewest.
 */
export function weighBatch({ groups, state }: BatchState): WeighedBatch {
  const waiting = groups.filter((group) => group.status === 'PENDING_APPROVAL')
  const steps = joinSteps(groups.map((group) => group.steps))
  const fewest = waiting.length === 0 ? 0 : Math.min(...waiting.map((group) => group.given))
  const votes = Array.from({ length: fewest }, () => ({ decision: 'validated' as const, counts: true }))
  const { step, given, needed } = countApprovals(steps, votes)
  const names = [...new Set(groups.map((group) => group.ruleName))].filter((name) => name !== BASE_RULE.name)
  const open = waiting.filter((group) => group.obstacle === null)
  return {
    steps,
    step,
    given,
    needed,
    needsCode: groups.some((group) => group.needsCode),
    ruleNames: names,
    isDefaultRule: names.length === 0,
    obstacle: obstacleOf(groups, waiting, open, state),
    terms: open.flatMap(({ termsObstacle }) => termsObstacle ?? []),
  }
}

function obstacleOf(
  groups: readonly BatchGroup[],
  waiting: readonly BatchGroup[],
  open: readonly BatchGroup[],
  state: string | null,
): WeighedBatch['obstacle'] {
  const personal = groups.find((group) => group.obstacle === 'not_a_checker' || group.obstacle === 'is_maker')
  if (personal) return personal.obstacle
  if (waiting.length > 0 && state !== null && state !== 'submitted') return 'submitting'
  if (open.length > 0) return null
  return waiting.find((group) => group.obstacle !== null)?.obstacle ?? 'not_waiting'
}
