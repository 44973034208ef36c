import type { Translate } from '#lib/i18n/translate.ts'
import type { ApprovalEnd, ApprovalEvidence, RiskFlag } from './approvals.ts'

/** From this many times the usual amount on, a payment is flagged. */
export const UNUSUAL_FROM = 2

/** Derives the risk flags from the evidence, the most important first. */
export function riskFlags(evidence: ApprovalEvidence): RiskFlag[] {
  const { contradicted, nearEqual, history, nameBefore, operatorBefore, namesakes, balance, isFirst, replaces, account } = evidence
  const near = nearEqual[0]
  const paidBefore = contradicted[0]
  const flags: (RiskFlag | false | undefined | null)[] = [
    paidBefore && { kind: 'contradicted', amount: paidBefore.amount },
    account?.isOtherName && { kind: 'holder', holderName: account.holderName ?? '' },
    (account?.answer === 'not_registered' || account?.answer === 'barred') && { kind: account.answer },
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

/**
 * Who decided: the checker, and the API user that sent the decision in, null where the checker decided in the back office. `absentName`: for whom
 * a deputy decided.
 */
type Decider = { checkerName: string; programName: string | null; absentName?: string | null }

/** The name of who decided, as pages show it: with the program where a program decided in the checker's name. */
export function deciderText(t: Translate, { checkerName, programName, absentName = null }: Decider): string {
  if (absentName !== null) return t('approvals.onBehalf', { name: checkerName, absent: absentName })
  return programName === null ? checkerName : t('approvals.byProgram', { name: checkerName, program: programName })
}

/** Who ended the wait of a transaction; empty where the service itself did. */
export function endedBy(t: Translate, { by, programName }: Pick<ApprovalEnd, 'by' | 'programName'>): string {
  return deciderText(t, { checkerName: by ?? '', programName })
}
