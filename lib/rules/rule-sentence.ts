import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { RULE_SOURCES, type RuleSource } from '#lib/payments/transactions/transaction-status.ts'
import { moneyText } from '#lib/text/format.ts'
import type { ApprovalRule, RuleMeasure } from './approval-policy.ts'
import { isAboutAmounts, listLimits } from './rule-limits.ts'

/** The default of a rule, which its sentence leaves out. */
const DEFAULT_EXPIRY_HOURS = 168
const HOURS_OF_A_DAY = 24

const SOURCES: Readonly<Record<string, MessageKey>> = {
  api: 'rules.sentence.from.api',
  person: 'rules.sentence.from.person',
  file: 'rules.sentence.from.file',
  'api person': 'rules.sentence.from.apiPerson',
  'api file': 'rules.sentence.from.apiFile',
  'person file': 'rules.sentence.from.personFile',
}

const LIMITS: Readonly<Record<RuleMeasure, MessageKey>> = {
  any: 'rules.sentence.above.any',
  batchTotal: 'rules.sentence.above.batchTotal',
  dayTotal: 'rules.sentence.above.dayTotal',
}

/** Returns one approval rule as one plain sentence: `Deposits above 500,000 XAF or 2,000,000 UGX: two checkers, with a code`. */
export function ruleSentence(t: Translate, locale: Locale, rule: Omit<ApprovalRule, 'name'>): string {
  const what = [kinds(t, rule), ...places(t, locale, rule), ...source(t, rule.sources), ...limit(t, locale, rule), ...firstTime(t, rule)]
  return t('rules.sentence', { what: what.join(' '), needs: needsText(t, rule).join(', ') })
}

function isBoth({ types }: Pick<ApprovalRule, 'types'>): boolean {
  return types.includes('COLLECT') && types.includes('DEPOSIT')
}

function kinds(t: Translate, rule: Pick<ApprovalRule, 'types'>): string {
  return t(isBoth(rule) ? 'rules.sentence.types.both' : `rules.sentence.types.${rule.types[0] ?? 'DEPOSIT'}`)
}

function places(t: Translate, locale: Locale, { operators, countries }: Pick<ApprovalRule, 'operators' | 'countries'>): string[] {
  const list = new Intl.ListFormat(locale, { type: 'disjunction' })
  const texts: string[] = []
  if (operators) {
    const names = operators.map((code) => `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`)
    texts.push(t('rules.sentence.at', { operators: list.format(names) }))
  }
  if (countries)
    texts.push(t('rules.sentence.in', { countries: list.format(countries.map((name) => t(`rules.sentence.country.${name}`))) }))
  return texts
}

function source(t: Translate, sources: readonly RuleSource[]): string[] {
  const key = SOURCES[RULE_SOURCES.filter((each) => sources.includes(each)).join(' ')]
  return key ? [t(key)] : []
}

function limit(t: Translate, locale: Locale, rule: Pick<ApprovalRule, 'limits' | 'measure'>): string[] {
  const limits = listLimits(rule)
  if (limits.length === 0) return []
  const list = new Intl.ListFormat(locale, { type: 'disjunction' })
  if (!isAboutAmounts(rule)) return [t('rules.sentence.inCurrencies', { currencies: list.format(limits.map(([currency]) => currency)) })]
  const amounts = limits.map(([currency, aboveMinor]) => moneyText({ amount: formatMinor(BigInt(aboveMinor)), currency }, locale))
  return [t(LIMITS[rule.measure], { amounts: list.format(amounts) })]
}

function firstTime(t: Translate, rule: Pick<ApprovalRule, 'types' | 'firstTimeOnly'>): string[] {
  if (!rule.firstTimeOnly) return []
  return [t(isBoth(rule) ? 'rules.sentence.first.both' : `rules.sentence.first.${rule.types[0] ?? 'DEPOSIT'}`)]
}

type Needs = Pick<ApprovalRule, 'approvals' | 'needsCode' | 'apiMayDecide' | 'expiresInHours'>

function needsText(t: Translate, { approvals: [first, second], needsCode, apiMayDecide, expiresInHours }: Needs): string[] {
  const texts = [t('rules.sentence.checkers', { count: first })]
  if (second !== undefined) texts.push(t('rules.sentence.then', { count: second }))
  if (needsCode) texts.push(t('rules.sentence.code'))
  if (apiMayDecide) texts.push(t('rules.sentence.api'))
  if (expiresInHours !== DEFAULT_EXPIRY_HOURS) {
    const isDays = expiresInHours % HOURS_OF_A_DAY === 0
    texts.push(
      isDays
        ? t('rules.sentence.withinDays', { count: expiresInHours / HOURS_OF_A_DAY })
        : t('rules.sentence.withinHours', { count: expiresInHours }),
    )
  }
  return texts
}

export type RuleDifference =
  | { kind: 'added'; after: ApprovalRule }
  | { kind: 'removed'; before: ApprovalRule }
  | { kind: 'changed'; before: ApprovalRule; after: ApprovalRule }
  /** The same rule under another name. */
  | { kind: 'renamed'; before: ApprovalRule; after: ApprovalRule }

/**
 * Compares two versions of approval rules. Rules are matched by name, and what is left by content. The order of rules has no effect, so a
 * rule that only moved is no difference.
 */
export function compareRules(before: readonly ApprovalRule[], after: readonly ApprovalRule[]): RuleDifference[] {
  const lost = before.filter((rule) => !after.some(({ name }) => name === rule.name))
  const differences = after.flatMap((rule): RuleDifference[] => {
    const same = before.find(({ name }) => name === rule.name)
    if (same) return contentOf(same) === contentOf(rule) ? [] : [{ kind: 'changed', before: same, after: rule }]
    const index = lost.findIndex((each) => contentOf(each) === contentOf(rule))
    const [renamed] = index === -1 ? [] : lost.splice(index, 1)
    return renamed ? [{ kind: 'renamed', before: renamed, after: rule }] : [{ kind: 'added', after: rule }]
  })
  return [...differences, ...lost.map((rule) => ({ kind: 'removed' as const, before: rule }))]
}

/** The effect of a rule, regardless of its name and of the order of its lists. */
function contentOf(rule: ApprovalRule): string {
  const sorted = (values: readonly string[] | null) => values && [...values].sort()
  return JSON.stringify([
    sorted(rule.sources),
    sorted(rule.types),
    sorted(rule.operators),
    sorted(rule.countries),
    listLimits(rule),
    rule.measure,
    rule.firstTimeOnly,
    rule.approvals,
    rule.needsCode,
    rule.apiMayDecide,
    rule.expiresInHours,
  ])
}
