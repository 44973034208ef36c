import { type ApprovalBand, type ApprovalPolicy, type ApprovalRule, type ApprovalRulePart, BASE_RULE } from '#lib/approval-policy.ts'
import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionSource, TransactionType } from '#lib/transaction-status.ts'

export type BandContext = { type: TransactionType; operator: OperatorCode; currency: Currency; source: TransactionSource }

const NO_POLICY: ApprovalPolicy = { version: 0, rules: [] }
/** Bands depend on the policy and a context of few values: each is worked out once per version of a policy. */
const known = new WeakMap<ApprovalPolicy, Map<string, ApprovalBand[] | null>>()

/**
 * The approval bands of one kind of transaction, in the order in which the database reads them: the last band whose
 * threshold is passed counts (approval_band_for). Null: nothing can fire, which is the fast path of what
 * the API starts. What a person or a file starts always has a band that fires, whatever the rules say.
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
 * One band for each threshold and each of the two kinds of beneficiary (any, never paid before). Each joins the demands of
 * all rules that fire there, so that a later band never asks for less than an earlier one: the last is the strictest.
 */
function buildBands(policy: ApprovalPolicy, context: BandContext): ApprovalBand[] | null {
  const applying = policy.rules.filter((rule) => applies(rule, context))
  const alwaysFires = applying.some((rule) => rule.aboveMinor === '0' && !rule.firstTimeOnly)
  const rules = context.source === 'api' || alwaysFires ? applying : [BASE_RULE, ...applying]
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
 * The fewest checkers that satisfy every rule at once. Two steps where one rule asks for two, each as large as its largest;
 * where a one-step rule asks for more people than that together, the second step grows.
 */
function joinSteps(all: readonly ApprovalRule['approvals'][]): number[] {
  const total = Math.max(...all.map(([first, second = 0]) => first + second))
  const twoSteps = all.flatMap((steps) => (steps.length === 2 ? [steps] : []))
  if (twoSteps.length === 0) return [total]
  const first = Math.max(...twoSteps.map((steps) => steps[0]))
  const second = Math.max(...twoSteps.map((steps) => steps[1]))
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
