import type { ApprovalRule } from '#lib/approval-policy.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import type { RuleFinding } from '#lib/rule-finding.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { listClosedServices } from '#server/applications/terms-queries.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { findRuleProblems } from './find-rule-problems.ts'

/** Checks rules against the present members and services of an application. */
export async function checkRules(queryable: Queryable, applicationId: string, rules: readonly ApprovalRule[]): Promise<RuleFinding[]> {
  // One after the other: it may run on the single connection of a transaction.
  const members = await listActiveMembers(queryable, applicationId)
  const closed = await listClosedServices(queryable, applicationId)
  const uses = TRANSACTION_TYPES.flatMap((type) =>
    OPERATOR_CODES.filter((operator) => !closed.some((each) => each.operator === operator && each.type === type)).map((operator) => ({
      type,
      operator,
    })),
  )
  const people = members.map(({ name, roles, hasSecondFactor }) => ({
    name,
    isMaker: roles.includes('maker'),
    isChecker: roles.includes('checker'),
    hasSecondFactor,
  }))
  return findRuleProblems(rules, people, uses)
}
