import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { type Currency, formatMinor, parseAmountMinor, parseTypedAmount } from '#lib/money/money.ts'
import type { CountryName, OperatorCode } from '#lib/operators/operators.ts'
import type { RuleSource, TransactionType } from '#lib/payments/transaction-status.ts'
import { formatAmount } from '#lib/text/format.ts'
import type { ApprovalRule, RuleMeasure } from './approval-policy.ts'

/** A rule as a form holds it: numbers and amounts as they are typed. */
export type RuleFields = {
  name: string
  types: TransactionType[]
  sources: RuleSource[]
  countries: CountryName[]
  operators: OperatorCode[]
  measure: RuleMeasure
  amount: string
  currency: Currency | ''
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
  amount: '',
  currency: '',
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
    amount: rule.aboveMinor === '0' ? '' : formatAmount(formatMinor(BigInt(rule.aboveMinor)), locale),
    currency: rule.currency ?? '',
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
    countries: fields.countries.length === 0 ? null : fields.countries,
    operators: fields.operators.length === 0 ? null : fields.operators,
    measure: fields.measure,
    aboveMinor: minorOf(fields.amount, locale),
    currency: fields.currency === '' ? null : fields.currency,
    firstTimeOnly: fields.firstTimeOnly,
    approvals: fields.second === '' ? [Number(fields.first)] : [Number(fields.first), Number(fields.second)],
    needsCode: fields.needsCode,
    apiMayDecide: fields.apiMayDecide,
    expiresInHours: Number(fields.expiresInHours || Number.NaN),
  }
}

function minorOf(amount: string, locale: Locale): string {
  if (amount.trim() === '') return '0'
  const plain = parseTypedAmount(amount, locale)
  const minor = plain === undefined ? undefined : parseAmountMinor(plain)
  return minor === undefined ? amount : String(minor)
}

/** The field of the form that shows a problem of a field of the schema, with its text. */
export const RULE_PROBLEMS: Readonly<Record<string, { field: RuleField; message: MessageKey }>> = {
  name: { field: 'name', message: 'rules.wrong.name' },
  types: { field: 'types', message: 'rules.wrong.types' },
  sources: { field: 'sources', message: 'rules.wrong.sources' },
  countries: { field: 'countries', message: 'rules.wrong.countries' },
  operators: { field: 'operators', message: 'rules.wrong.operators' },
  currency: { field: 'currency', message: 'rules.wrong.currency' },
  aboveMinor: { field: 'amount', message: 'rules.wrong.amount' },
  approvals: { field: 'first', message: 'rules.wrong.approvals' },
  expiresInHours: { field: 'expiresInHours', message: 'rules.wrong.expiresInHours' },
}
