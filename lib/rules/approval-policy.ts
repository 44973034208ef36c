import { z } from 'zod'
import { CURRENCIES, type Currency } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators/operators.ts'
import { RULE_SOURCES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { currenciesOf, limitIn, listLimits, ruleLimitsSchema } from './rule-limits.ts'

const checkerCount = z.number().int().min(1).max(5)

/** How many distinct checkers: `[n]` in one step, `[n, m]` in two steps, the second after the first. */
const approvalStepsSchema = z.union([z.tuple([checkerCount]), z.tuple([checkerCount, checkerCount])])

/**
 * The amount that a rule's limit applies to. `any`: the largest of the amount, the total of its batch, and what the same maker sent to the
 * same number within 24 hours, so that splitting a payment does not avoid the rule. The others compare one of the two totals alone. There
 * is no limit for the amount alone, because splitting would avoid it.
 */
export const RULE_MEASURES = ['any', 'batchTotal', 'dayTotal'] as const
export type RuleMeasure = (typeof RULE_MEASURES)[number]

export const RULES_MAX = 50
/** Each combination of limits in its currency is a band that is sent with every transaction. */
const COMBINATIONS_MAX = 100

/**
 * One approval rule. It fires when the weighed amount is *greater than* its limit in the currency of the transaction. A field that it does
 * not know is refused, because a limit under a misspelt name would be no limit.
 */
export const approvalRuleSchema = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(120)
      // Neither can be stored.
      .refine((name) => name.isWellFormed() && !name.includes('\0'), { message: 'The name must not contain NUL or invalid characters.' }),
    sources: z.array(z.enum(RULE_SOURCES)).min(1),
    types: z.array(z.enum(TRANSACTION_TYPES)).min(1).default(['DEPOSIT']),
    /** Absent or null: every operator. */
    operators: z
      .array(z.enum(OPERATOR_CODES))
      .min(1)
      .nullish()
      .transform((operators) => operators ?? null),
    /** Absent or null: every country. */
    countries: z
      .array(z.enum(COUNTRY_NAMES))
      .min(1)
      .nullish()
      .transform((countries) => countries ?? null),
    limits: ruleLimitsSchema.default({}),
    measure: z.enum(RULE_MEASURES).default('any'),
    firstTimeOnly: z.boolean().default(false),
    approvals: approvalStepsSchema,
    needsCode: z.boolean().default(false),
    /**
     * Whether the application's own program may send in decisions (validateTransaction, rejectTransaction) on what this rule holds
     * back. Left out: no, except for the application's default rule.
     */
    apiMayDecide: z.boolean().optional(),
    expiresInHours: z.number().int().min(1).max(720).default(168),
  })
  .refine((rule) => rule.measure === 'any' || listLimits(rule).length > 0, {
    path: ['limits'],
    message: 'A rule about a total requires a limit.',
  })
  .superRefine((rule, context) => {
    const usable = currenciesOf(rule)
    for (const [currency, limit] of listLimits(rule)) {
      const path = ['limits', currency]
      if (!usable.includes(currency)) {
        const message = 'No operator of this rule uses this currency.'
        context.addIssue({ code: 'invalid_key', origin: 'record', issues: [], path, message, input: rule })
      }
      if (rule.measure !== 'any' && limit === '0')
        context.addIssue({ code: 'custom', path, message: 'A limit on a total must be above zero.', input: rule })
    }
  })
  .transform((rule) => ({ ...rule, apiMayDecide: rule.apiMayDecide ?? isDefaultRule(rule) }))
export type ApprovalRule = z.output<typeof approvalRuleSchema>

/** All rules of one version of an application's policy; the names tell them apart. */
export const approvalRulesSchema = z
  .array(approvalRuleSchema)
  .max(RULES_MAX)
  .refine((rules) => new Set(rules.map((rule) => rule.name)).size === rules.length, { message: 'Each rule must have its own name.' })
  .refine((rules) => CURRENCIES.every((currency) => combinationsIn(currency, rules) <= COMBINATIONS_MAX), {
    message: `The limits of these rules in one currency have more than ${COMBINATIONS_MAX} combinations. Use fewer limits on batch totals and 24-hour totals.`,
  })

/** How many combinations of limits a transaction in one currency can exceed. */
function combinationsIn(currency: Currency, rules: readonly ApprovalRule[]): number {
  const limitsOf = (measure: RuleMeasure) =>
    new Set(rules.filter((rule) => rule.measure === measure).flatMap((rule) => limitIn(rule, currency) ?? [])).size
  return Math.max(1, limitsOf('any')) * (1 + limitsOf('batchTotal')) * (1 + limitsOf('dayTotal'))
}

/** The rules of one version of an application's policy. Version 0: none set. */
export type ApprovalPolicy = { version: number; rules: readonly ApprovalRule[] }

/** The requirements for items of one band. The field names are those that approval_band_among and start_transactions read. */
export type ApprovalBand = {
  aboveMinor: string
  /** The limit that the batch total and the 24-hour total must also exceed; absent where no rule limits that total alone. */
  aboveBatchMinor?: string
  aboveDayMinor?: string
  firstTimeOnly: boolean
  policyVersion: number
  /** The names of the rules that require this. */
  rule: { name: string; parts: ApprovalRulePart[] }
  steps: number[]
  needsCode: boolean
  apiMayDecide: boolean
  expiresInHours: number
}

/** A rule as it applied to a transaction: with its limit in the transaction's currency. */
export type ApprovalRulePart = {
  name: string
  aboveMinor: string
  /** Null: the rule has no limits. */
  currency: Currency | null
  measure: RuleMeasure
  firstTimeOnly: boolean
  steps: number[]
  needsCode: boolean
}

/**
 * No person moves money alone: what a person or a file creates waits for at least one checker, for seven days, even if no
 * rule says so. A rule can ask for more, never for less.
 */
export const BASE_RULE: ApprovalRule = {
  name: 'Prepared by a person',
  sources: ['person', 'file'],
  types: ['COLLECT', 'DEPOSIT'],
  operators: null,
  countries: null,
  limits: {},
  measure: 'any',
  firstTimeOnly: false,
  approvals: [1],
  needsCode: false,
  apiMayDecide: true,
  expiresInHours: 168,
}

/** Whether a rule is the application's default rule, regardless of its setting for the API. */
function isDefaultRule(rule: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(BASE_RULE).every(
    ([field, value]) => field === 'apiMayDecide' || JSON.stringify(rule[field]) === JSON.stringify(value),
  )
}

/** The policy of an application that has set none: transactions of its API are submitted without approval. */
export const DEFAULT_POLICY_RULES: readonly ApprovalRule[] = [BASE_RULE]
