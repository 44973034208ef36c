import type { Currency } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { ruleSourceOf, type TransactionSource, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import {
  type ApprovalBand,
  type ApprovalPolicy,
  type ApprovalRule,
  type ApprovalRulePart,
  BASE_RULE,
  type RuleMeasure,
} from '#lib/rules/approval-policy.ts'
import { limitIn, listLimits } from '#lib/rules/rule-limits.ts'

export type BandContext = { type: TransactionType; operator: OperatorCode; currency: Currency; source: TransactionSource }

/** A rule as it applies to transactions in one currency: with its limit there. `currency` is null where the rule has no limits. */
type LimitedRule = Omit<ApprovalRule, 'limits'> & Pick<ApprovalRulePart, 'aboveMinor' | 'currency'>

const BASE: LimitedRule = { ...BASE_RULE, aboveMinor: '0', currency: null }
/** Beside rules of the application's own, no program decides about what none of them lets it decide about. */
const BASE_BESIDE_OWN: LimitedRule = { ...BASE, apiMayDecide: false }
const NO_POLICY: ApprovalPolicy = { version: 0, rules: [] }
/** Bands depend on the policy and on a context with few values, so each is computed once per version of a policy. */
const known = new WeakMap<ApprovalPolicy, Map<string, ApprovalBand[] | null>>()

/**
 * Returns the approval bands of one kind of transaction, in the order in which approval_band_among reads them: the last band whose limits
 * are exceeded applies. Returns null if no band can apply, so that the database weighs nothing. A payment from a person
 * or a file always has a band that applies, regardless of the rules.
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
 * Returns one band for each combination of limits and each of the two kinds of beneficiary (any, never paid before). Each combines the
 * requirements of all rules that apply there, so that a later band never requires less than an earlier one that applies too. The limits that
 * a transaction exceeds always include a largest one of each kind, and that combination comes last of all that it exceeds.
 */
function buildBands(policy: ApprovalPolicy, context: BandContext): ApprovalBand[] | null {
  const applying = policy.rules.flatMap((rule) => limitRule(rule, context) ?? [])
  const alwaysApplies = applying.some((rule) => rule.aboveMinor === '0' && rule.measure === 'any' && !rule.firstTimeOnly)
  const rules =
    ruleSourceOf(context.source) === 'api' || alwaysApplies ? applying : [policy.rules.length > 0 ? BASE_BESIDE_OWN : BASE, ...applying]
  const bands = combineLimits(rules).flatMap((limits) => {
    const passed = rules.filter((rule) => isPassed(rule, limits))
    const forAnybody = passed.filter((rule) => !rule.firstTimeOnly)
    const anybody = forAnybody.length > 0 ? [join(forAnybody, limits, false, policy.version)] : []
    return forAnybody.length === passed.length ? anybody : [...anybody, join(passed, limits, true, policy.version)]
  })
  return bands.length > 0 ? bands : null
}

/** A limit of each kind; null: none of its kind is exceeded. */
type Limits = Record<RuleMeasure, string | null>

function combineLimits(rules: readonly LimitedRule[]): Limits[] {
  const limitsOf = (measure: RuleMeasure) =>
    [...new Set(rules.filter((rule) => rule.measure === measure).map((rule) => rule.aboveMinor))].sort(compareAmounts)
  const totals = [null, ...limitsOf('batchTotal')].flatMap((batchTotal) =>
    [null, ...limitsOf('dayTotal')].map((dayTotal) => ({ batchTotal, dayTotal })),
  )
  // Without a limit for all three, those of the totals still apply.
  const anyLimits = totals.length > 1 ? [null, ...limitsOf('any')] : limitsOf('any')
  return anyLimits.flatMap((any) => totals.map((total) => ({ any, ...total })))
}

function isPassed(rule: LimitedRule, limits: Limits): boolean {
  const limit = limits[rule.measure]
  return limit !== null && compareAmounts(rule.aboveMinor, limit) <= 0
}

/** The amounts compared with the limits of bands: the largest of the three, and the two totals alone. */
type WeighedAmounts = { weighedMinor: bigint; batchMinor: bigint; dayMinor: bigint }

/** Whether amounts exceed all limits of a band, as approval_band_among decides it. */
export function exceedsLimits(band: ApprovalBand, { weighedMinor, batchMinor, dayMinor }: WeighedAmounts): boolean {
  return (
    weighedMinor > BigInt(band.aboveMinor) &&
    (band.aboveBatchMinor === undefined || batchMinor > BigInt(band.aboveBatchMinor)) &&
    (band.aboveDayMinor === undefined || dayMinor > BigInt(band.aboveDayMinor))
  )
}

/** Returns a rule with its limit for one kind of transaction; null if it does not apply to that kind. */
function limitRule({ limits, ...rule }: ApprovalRule, context: BandContext): LimitedRule | null {
  const aboveMinor = limitIn({ limits }, context.currency)
  const applies =
    rule.sources.includes(ruleSourceOf(context.source)) &&
    rule.types.includes(context.type) &&
    (rule.operators === null || rule.operators.includes(context.operator)) &&
    (rule.countries === null || rule.countries.includes(OPERATORS[context.operator].country.name))
  if (aboveMinor === null || !applies) return null
  return { ...rule, aboveMinor, currency: listLimits({ limits }).length === 0 ? null : context.currency }
}

function join(rules: readonly LimitedRule[], limits: Limits, firstTimeOnly: boolean, policyVersion: number): ApprovalBand {
  const own = rules.filter((rule) => rule !== BASE && rule !== BASE_BESIDE_OWN)
  const named = own.length > 0 ? own : rules
  return {
    aboveMinor: limits.any ?? '0',
    ...(limits.batchTotal === null ? {} : { aboveBatchMinor: limits.batchTotal }),
    ...(limits.dayTotal === null ? {} : { aboveDayMinor: limits.dayTotal }),
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

function toPart(rule: LimitedRule): ApprovalRulePart {
  return {
    name: rule.name,
    aboveMinor: rule.aboveMinor,
    currency: rule.currency,
    measure: rule.measure,
    firstTimeOnly: rule.firstTimeOnly,
    steps: [...rule.approvals],
    needsCode: rule.needsCode,
  }
}

function compareAmounts(left: string, right: string): number {
  const difference = BigInt(left) - BigInt(right)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
