import type { ApprovalRule } from './approval-policy.ts'

export type RuleDifference =
  | { kind: 'added'; after: ApprovalRule }
  | { kind: 'removed'; before: ApprovalRule }
  | { kind: 'changed'; before: ApprovalRule; after: ApprovalRule }
  /** The same rule under another name. */
  | { kind: 'renamed'; before: ApprovalRule; after: ApprovalRule }

/**
 * Compares two versions of approval rules. Rules are matched by name, and what is left by content. The order of rules has no effect, so a
 * rule that only moved is no difference.
 */
export function compareRules(before: readonly ApprovalRule[], after: readonly ApprovalRule[]): RuleDifference[] {
  const lost = before.filter((rule) => !after.some(({ name }) => name === rule.name))
  const differences = after.flatMap((rule): RuleDifference[] => {
    const same = before.find(({ name }) => name === rule.name)
    if (same) return contentOf(same) === contentOf(rule) ? [] : [{ kind: 'changed', before: same, after: rule }]
    const index = lost.findIndex((each) => contentOf(each) === contentOf(rule))
    const [renamed] = index === -1 ? [] : lost.splice(index, 1)
    return renamed ? [{ kind: 'renamed', before: renamed, after: rule }] : [{ kind: 'added', after: rule }]
  })
  return [...differences, ...lost.map((rule) => ({ kind: 'removed' as const, before: rule }))]
}

/** What a rule does, regardless of its name and of the order of its lists. */
function contentOf(rule: ApprovalRule): string {
  const sorted = (values: readonly string[] | null) => values && [...values].sort()
  return JSON.stringify([
    sorted(rule.sources),
    sorted(rule.types),
    sorted(rule.operators),
    sorted(rule.countries),
    rule.currency,
    rule.aboveMinor,
    rule.measure,
    rule.firstTimeOnly,
    rule.approvals,
    rule.needsCode,
    rule.apiMayDecide,
    rule.expiresInHours,
  ])
}
