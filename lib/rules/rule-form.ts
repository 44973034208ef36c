import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { type Currency, formatMinor, parseAmountMinor, parseTypedAmount } from '#lib/money/money.ts'
import type { CountryName, OperatorCode } from '#lib/operators/operators.ts'
import type { RuleSource, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { formatAmount } from '#lib/text/format.ts'
import type { ApprovalRule, RuleMeasure } from './approval-policy.ts'
import { listLimits } from './rule-limits.ts'

/** A rule as a form holds it: numbers and amounts as they are typed. */
export type RuleFields = {
  name: string
  types: TransactionType[]
  sources: RuleSource[]
  countries: CountryName[]
  operators: OperatorCode[]
  measure: RuleMeasure
  /** An amount for each currency in which the rule has a limit. Null: it was removed; a key that is missing would get its default value again. */
  limits: Partial<Record<Currency, string | null>>
  firstTimeOnly: boolean
  first: string
  /** Empty: one step. */
  second: string
  needsCode: boolean
  apiMayDecide: boolean
  expiresInHours: string
}

export type RuleField = keyof RuleFields

export const NEW_RULE: RuleFields = {
  name: '',
  types: ['DEPOSIT'],
  sources: ['api', 'person', 'file'],
  countries: [],
  operators: [],
  measure: 'any',
  limits: {},
  firstTimeOnly: false,
  first: '2',
  second: '',
  needsCode: false,
  apiMayDecide: false,
  expiresInHours: '168',
}

/** Returns a rule as the form shows it. */
export function toRuleFields(rule: ApprovalRule, locale: Locale): RuleFields {
  const [first, second] = rule.approvals
  return {
    name: rule.name,
    types: [...rule.types],
    sources: [...rule.sources],
    countries: rule.countries ? [...rule.countries] : [],
    operators: rule.operators ? [...rule.operators] : [],
    measure: rule.measure,
    limits: Object.fromEntries(
      listLimits(rule).map(([currency, aboveMinor]) => [currency, formatAmount(formatMinor(BigInt(aboveMinor)), locale)]),
    ),
    firstTimeOnly: rule.firstTimeOnly,
    first: String(first),
    second: second === undefined ? '' : String(second),
    needsCode: rule.needsCode,
    apiMayDecide: rule.apiMayDecide,
    expiresInHours: String(rule.expiresInHours),
  }
}

/**
 * Returns what was typed as the command's schema reads it (approvalRuleSchema). What cannot be read stays as it is, so that the schema refuses
 * it. An empty list of countries or operators means all of them.
 */
export function toRuleInput(fields: RuleFields, locale: Locale): Record<string, unknown> {
  return {
    name: fields.name,
    types: fields.types,
    sources: fields.sources,
    ...placesOf(fields),
    measure: fields.measure,
    limits: Object.fromEntries(listLimits(fields).map(([currency, amount]) => [currency, minorOf(amount, locale)])),
    firstTimeOnly: fields.firstTimeOnly,
    approvals: fields.second === '' ? [Number(fields.first)] : [Number(fields.first), Number(fields.second)],
    needsCode: fields.needsCode,
    apiMayDecide: fields.apiMayDecide,
    expiresInHours: Number(fields.expiresInHours || Number.NaN),
  }
}

/** Returns where a rule applies; null: every country, every operator. */
export function placesOf({ countries, operators }: Pick<RuleFields, 'countries' | 'operators'>) {
  return { countries: countries.length === 0 ? null : countries, operators: operators.length === 0 ? null : operators }
}

function minorOf(amount: string, locale: Locale): string {
  const plain = parseTypedAmount(amount, locale)
  if (plain === undefined) return amount
  return Number(plain) === 0 ? '0' : String(parseAmountMinor(plain) ?? amount)
}

const WORDS: Readonly<Record<string, MessageKey>> = {
  name: 'rules.wrong.name',
  types: 'rules.wrong.types',
  sources: 'rules.wrong.sources',
  countries: 'rules.wrong.countries',
  operators: 'rules.wrong.operators',
  approvals: 'rules.wrong.approvals',
  expiresInHours: 'rules.wrong.expiresInHours',
}

/** How zod names a problem of a limit. */
const LIMIT_WORDS: Readonly<Record<string, MessageKey>> = {
  invalid_format: 'rules.wrong.amount',
  invalid_key: 'rules.wrong.currency',
  custom: 'rules.wrong.zero',
}

/** A problem that the schema found, as zod describes it. `path` begins at the rule. */
type SchemaIssue = { code: string; path: readonly PropertyKey[] }

/** Returns the field of the form that shows a problem, as a path in the rule's fields, with its text; undefined if no field shows it. */
export function ruleProblem({ code, path: [name, key] }: SchemaIssue): { field: string; message: MessageKey } | undefined {
  if (name === 'limits' && key === undefined) return { field: 'limits.root', message: 'rules.wrong.limits' }
  const message = name === 'limits' ? LIMIT_WORDS[code] : WORDS[String(name)]
  const field = name === 'limits' ? `limits.${String(key)}` : name === 'approvals' ? 'first' : String(name)
  return message && { field, message }
}
