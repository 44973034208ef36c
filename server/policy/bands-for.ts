import { type ApprovalBand, type ApprovalPolicy, type ApprovalRule, type ApprovalRulePart, BASE_RULE } from '#lib/approval-policy.ts'
import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionSource, TransactionType } from '#lib/transaction-status.ts'

export type BandContext = { type: TransactionType; operator: OperatorCode; currency: Currency; source: TransactionSource }

const NO_POLICY: ApprovalPolicy = { version: 0, rules: [] }
/** Bands depend on the policy and on a context with few values, so each is computed once per version of a policy. */
const known = new WeakMap<ApprovalPolicy, Map<string, ApprovalBand[] | null>>()

/**
 * Returns the approval bands of one kind of transaction, in the order in which approval_band_for reads them: the last band whose threshold
 * is less than the amount applies. Returns null if no band can apply, so that the database weighs nothing. What a person or a file
 * starts always has a band that applies, whatever the rules say.
 */
export function bandsFor(policy: ApprovalPolicy | null, context: BandContext): ApprovalBand[] | null {
  const current = policy ?? NO_POLICY
  const ofPolicy = known.get(current) ?? new Map<string, ApprovalBand[] | null>()
  known.set(current, ofPolicy)
  const key = `${context.source} ${context.type} ${context.operator} ${context.currency}`
  const found = ofPolicy.get(key)
  if (found !== undefined) return found
  const bands = buildBands(current, context)
  ofPolicy.set(key, bands)
  return bands
}

/**
 * Returns one band for each threshold and each of the two kinds of beneficiary (any, never paid before). Each combines the requirements of
 * all rules that apply there, so that a later band never requires less than an earlier one.
 */
function buildBands(policy: ApprovalPolicy, context: BandContext): ApprovalBand[] | null {
  const applying = policy.rules.filter((rule) => applies(rule, context))
  const alwaysApplies = applying.some((rule) => rule.aboveMinor === '0' && !rule.firstTimeOnly)
  const rules = context.source === 'api' || alwaysApplies ? applying : [BASE_RULE, ...applying]
  const thresholds = [...new Set(rules.map((rule) => rule.aboveMinor))].sort(compareAmounts)
  const bands = thresholds.flatMap((aboveMinor) => {
    const passed = rules.filter((rule) => compareAmounts(rule.aboveMinor, aboveMinor) <= 0)
    const forAnybody = passed.filter((rule) => !rule.firstTimeOnly)
    const anybody = forAnybody.length > 0 ? [join(forAnybody, aboveMinor, false, policy.version)] : []
    return forAnybody.length === passed.length ? anybody : [...anybody, join(passed, aboveMinor, true, policy.version)]
  })
  return bands.length > 0 ? bands : null
}

function applies(rule: ApprovalRule, context: BandContext): boolean {
  return (
    rule.sources.includes(context.source) &&
    rule.types.includes(context.type) &&
    (rule.operators === null || rule.operators.includes(context.operator)) &&
    (rule.currency === null || rule.currency === context.currency)
  )
}

function join(rules: readonly ApprovalRule[], aboveMinor: string, firstTimeOnly: boolean, policyVersion: number): ApprovalBand {
  const own = rules.filter((rule) => rule !== BASE_RULE)
  const named = own.length > 0 ? own : rules
  return {
    aboveMinor,
    firstTimeOnly,
    policyVersion,
    rule: { name: named.map((rule) => rule.name).join(' · '), parts: named.map(toPart) },
    steps: joinSteps(rules.map((rule) => rule.approvals)),
    needsCode: rules.some((rule) => rule.needsCode),
    apiMayDecide: rules.every((rule) => rule.apiMayDecide),
    expiresInHours: Math.min(...rules.map((rule) => rule.expiresInHours)),
  }
}

/**
 * Returns the smallest number of checkers that satisfies every rule. There are two steps if one rule requires two, each as large as the
 * largest of its kind. If a rule with one step requires more people than both together, the second step is increased.
 */
export function joinSteps(all: readonly (readonly number[])[]): number[] {
  const total = Math.max(...all.map(([first = 0, second = 0]) => first + second))
  const twoSteps = all.flatMap((steps) => (steps.length === 2 ? [steps] : []))
  if (twoSteps.length === 0) return [total]
  const first = Math.max(...twoSteps.map((steps) => steps[0] ?? 0))
  const second = Math.max(...twoSteps.map((steps) => steps[1] ?? 0))
  return [first, Math.max(second, total - first)]
}

function toPart(rule: ApprovalRule): ApprovalRulePart {
  return {
    name: rule.name,
    aboveMinor: rule.aboveMinor,
    currency: rule.currency,
    firstTimeOnly: rule.firstTimeOnly,
    steps: [...rule.approvals],
    needsCode: rule.needsCode,
  }
}

function compareAmounts(left: string, right: string): number {
  const difference = BigInt(left) - BigInt(right)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
