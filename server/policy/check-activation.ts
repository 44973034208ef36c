import { err, ok, type Result } from '#lib/result.ts'
import { type ApprovalRule, approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { findingKey, isKnown, isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'
import type { Queryable } from '#server/database/pool.ts'
import { checkRules } from './check-rules.ts'
import { readPolicy } from './policy-store.ts'

export type ActivationRefusal =
  /** The current checkers could not approve what these rules hold back, although they can with the version in effect. */
  | 'nobody_can_approve'
  /** The rules have new gaps that nobody has accepted. */
  | 'not_accepted'

/** The findings about a version: `known` is so in the version in effect as well, `added` is new. */
export type VersionFindings = { known: RuleFinding[]; added: RuleFinding[] }

/** Compares what is wrong with two sets of rules, given the present members and services of an application. */
export async function compareFindings(
  queryable: Queryable,
  applicationId: string,
  { active, rules }: Record<'active' | 'rules', readonly ApprovalRule[]>,
): Promise<VersionFindings> {
  // One after the other: it may run on the single connection of a transaction.
  const findings = await checkRules(queryable, applicationId, rules)
  const present = await checkRules(queryable, applicationId, active)
  return {
    known: findings.filter((finding) => isKnown(finding, present)),
    added: findings.filter((finding) => !isKnown(finding, present)),
  }
}

/**
 * Returns the new gaps of a version that people accepted. Refuses a version that the current checkers could not satisfy or with a new gap that
 * is not in `accepted`. A gap that the version in effect has as well is no reason to refuse: nothing becomes worse, and the change may be
 * a part of the way out.
 */
export async function checkActivation(
  queryable: Queryable,
  { applicationId, version, accepted }: { applicationId: string; version: number; accepted: readonly string[] },
): Promise<Result<string[], ActivationRefusal>> {
  const { policy, activeVersion } = await readPolicy(queryable, applicationId, version)
  const active = await readPolicy(queryable, applicationId, activeVersion)
  const { added } = await compareFindings(queryable, applicationId, {
    active: readable(active.policy?.rules),
    rules: readable(policy?.rules),
  })
  if (added.some(isRefused)) return err('nobody_can_approve')
  const keys = added.map(findingKey)
  return keys.every((key) => accepted.includes(key)) ? ok(keys) : err('not_accepted')
}

/** Rules that cannot be read hold everything back, so they have no gaps. */
function readable(rules: unknown): ApprovalRule[] {
  const parsed = approvalRulesSchema.safeParse(rules)
  return parsed.success ? parsed.data : []
}
