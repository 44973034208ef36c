import type { ApprovalEvidence, RiskFlag } from './approvals.ts'

/** From this many times the usual amount on, a payment is flagged. */
export const UNUSUAL_FROM = 2

/** What a checker should notice in the evidence, the most important first. */
export function riskFlags(evidence: ApprovalEvidence): RiskFlag[] {
  const { contradicted, nearEqual, history, nameBefore, operatorBefore, namesakes, balance, isFirst, replaces } = evidence
  const near = nearEqual[0]
  const paidBefore = contradicted[0]
  const flags: (RiskFlag | false | undefined | null)[] = [
    paidBefore && { kind: 'contradicted', amount: paidBefore.amount },
    near && { kind: 'near', amount: near.amount },
    history && history.timesMedian >= UNUSUAL_FROM && { kind: 'times', times: history.timesMedian },
    nameBefore && { kind: nameBefore.isOtherSpelling ? 'spelling' : 'name', before: nameBefore.name },
    namesakes.length > 0 && { kind: 'namesake', phoneNumbers: namesakes },
    operatorBefore && { kind: 'operator', before: operatorBefore },
    isFirst && { kind: 'first' },
    balance?.afterThis.startsWith('-') && { kind: 'short' },
    replaces && { kind: 'resubmitted' },
  ]
  return flags.filter((flag) => flag !== false && flag !== undefined && flag !== null)
}
