import { CURRENCIES, type Currency } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { RULE_SOURCES, type RuleSource, TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { type ApprovalBand, type ApprovalRule, BASE_RULE } from '#lib/rules/approval-policy.ts'
import type { DeciderShortage, RuleFinding } from '#lib/rules/rule-finding.ts'
import { currenciesOf, isAboutAmounts, limitIn } from '#lib/rules/rule-limits.ts'
import { listClosedServices } from '#server/applications/terms-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { bandsFor } from './bands-for.ts'

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

/** A person as far as rules need to know them. */
export type RuleMember = { name: string; isMaker: boolean; isChecker: boolean; hasSecondFactor: boolean }

type Use = { type: TransactionType; operator: OperatorCode }
type Band = Pick<ApprovalBand, 'needsCode'> & { needed: number; rules: string[]; source: RuleSource }

/**
 * Returns what is wrong with rules for the people who are there now and the services that are in use. Works on the bands that intake would
 * get, so that rules that only together require too many people are found too.
 */
export function findRuleProblems(rules: readonly ApprovalRule[], members: readonly RuleMember[], uses: readonly Use[]): RuleFinding[] {
  return [...findShortages(rules, members), ...findCurrencyGaps(rules, uses), ...findAmountGaps(rules, uses)]
}

/** How many of the members could approve what a band holds back, if its maker is `maker`. */
function countDeciders(members: readonly RuleMember[], needsCode: boolean, maker: RuleMember | null): number {
  return members.filter((member) => member !== maker && member.isChecker && (member.hasSecondFactor || !needsCode)).length
}

function findShortages(rules: readonly ApprovalRule[], members: readonly RuleMember[]): RuleFinding[] {
  const makers = members.filter((member) => member.isMaker)
  const findings = listBands(rules).flatMap((band): RuleFinding[] => {
    const { needed, needsCode } = band
    const shortage: DeciderShortage = { rules: band.rules, needed, needsCode, available: countDeciders(members, needsCode, null) }
    if (shortage.available < needed) return [{ kind: 'nobody_can_approve', ...shortage }]
    if (band.source === 'api') return []
    const stuck = makers.filter((maker) => countDeciders(members, needsCode, maker) < needed)
    if (stuck.length === 0) return []
    // Without any other maker, nothing that a person prepares could be approved.
    if (stuck.length === makers.length) return [{ kind: 'nobody_can_approve', ...shortage, available: shortage.available - 1 }]
    return [{ kind: 'makers_stuck', ...shortage, available: shortage.available - 1, makers: stuck.map(({ name }) => name) }]
  })
  return fewestRules(unique(findings))
}

/** Every band that these rules can lead to, each once. */
function listBands(rules: readonly ApprovalRule[]): Band[] {
  const policy = { version: 0, rules }
  const bands = RULE_SOURCES.flatMap((source) =>
    TRANSACTION_TYPES.flatMap((type) =>
      OPERATOR_CODES.flatMap((operator) =>
        (bandsFor(policy, { source, type, operator, currency: OPERATORS[operator].country.currency }) ?? []).map((band) => ({
          source,
          needed: band.steps.reduce((sum, count) => sum + count, 0),
          needsCode: band.needsCode,
          rules: band.rule.parts.map(({ name }) => name),
        })),
      ),
    ),
  )
  // The base rule's requirement holds with any rules.
  return bands.filter((band) => band.rules.some((name) => rules.some((rule) => rule.name === name && !isBaseRule(rule))))
}

function isBaseRule(rule: ApprovalRule): boolean {
  return rule.name === BASE_RULE.name && !isAboutAmounts(rule) && rule.approvals.length === 1 && rule.approvals[0] === 1 && !rule.needsCode
}

function unique(findings: readonly RuleFinding[]): RuleFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()]
}

/** Leaves out what is only said about more rules than necessary: if a rule alone cannot be satisfied, no combination with it can. */
function fewestRules(findings: readonly RuleFinding[]): RuleFinding[] {
  const named = findings.flatMap((finding) => ('rules' in finding ? [finding] : []))
  const sets = named.map(({ kind, rules }) => ({ kind, rules: new Set(rules) }))
  return named.filter(
    ({ kind, rules }) =>
      !sets.some(
        (other) => other.kind === kind && other.rules.size < rules.length && [...other.rules].every((name) => rules.includes(name)),
      ),
  )
}

function findCurrencyGaps(rules: readonly ApprovalRule[], uses: readonly Use[]): RuleFinding[] {
  return TRANSACTION_TYPES.flatMap((type) => {
    const used = new Set<Currency>(uses.filter((use) => use.type === type).map(({ operator }) => OPERATORS[operator].country.currency))
    return SOURCE_GROUPS.flatMap(({ isApi, sources }) => {
      const missing = new Set(sources.flatMap((source) => missingCurrencies(rules, type, source, used)))
      if (missing.size === 0) return []
      return [{ kind: 'currency_without_rule' as const, type, isApi, currencies: CURRENCIES.filter((currency) => missing.has(currency)) }]
    })
  })
}

/** The sources in two groups: payments from a person or a file wait even without a rule, those from the API do not. */
const SOURCE_GROUPS: readonly { isApi: boolean; sources: RuleSource[] }[] = [
  { isApi: true, sources: ['api'] },
  { isApi: false, sources: ['person', 'file'] },
]

function missingCurrencies(
  rules: readonly ApprovalRule[],
  type: TransactionType,
  source: RuleSource,
  used: ReadonlySet<Currency>,
): Currency[] {
  const applying = rules.filter((rule) => rule.types.includes(type) && rule.sources.includes(source))
  if (!applying.some(isAboutAmounts)) return []
  return CURRENCIES.filter((currency) => used.has(currency) && !applying.some((rule) => covers(rule, currency)))
}

function covers(rule: ApprovalRule, currency: Currency): boolean {
  return !isBaseRule(rule) && limitIn(rule, currency) !== null && currenciesOf(rule).includes(currency)
}

/** The lowest limit of what applies to an operator, hundredths; null: no rule applies. */
type Lowest = { operator: OperatorCode; lowestMinor: bigint | null }

/**
 * Returns which amounts of the API no rule holds back, although rules have limits in their currency: everything up to the lowest limit, and
 * operators that no rule covers. There are no gaps above the lowest limit, because a later band never requires less than an earlier one.
 * Payments from people and files always wait, and a currency without any rule is a finding of its own.
 */
function findAmountGaps(rules: readonly ApprovalRule[], uses: readonly { type: TransactionType; operator: OperatorCode }[]): RuleFinding[] {
  return TRANSACTION_TYPES.flatMap((type) => {
    const applying = rules.filter((rule) => rule.types.includes(type) && rule.sources.includes('api'))
    // Without limits, the rules are about places and people, and not about amounts.
    if (!applying.some(isAboutAmounts)) return []
    return CURRENCIES.flatMap((currency) => {
      const used = uses.filter((use) => use.type === type && OPERATORS[use.operator].country.currency === currency)
      return gapsOf(
        type,
        currency,
        used.map(({ operator }) => ({ operator, lowestMinor: lowestOf(applying, operator) })),
      )
    })
  })
}

function gapsOf(type: TransactionType, currency: Currency, used: readonly Lowest[]): RuleFinding[] {
  const uncovered = used.filter(({ lowestMinor }) => lowestMinor === null)
  if (uncovered.length === used.length) return []
  const limits = [...new Set(used.flatMap(({ lowestMinor }) => (lowestMinor ? [lowestMinor] : [])))]
  const amounts = limits.map((limit): RuleFinding => {
    const at = used.filter(({ lowestMinor }) => lowestMinor === limit).map(({ operator }) => operator)
    return { kind: 'amounts_without_rule', type, currency, upToMinor: String(limit), operators: at.length === used.length ? null : at }
  })
  if (uncovered.length === 0) return amounts
  return [...amounts, { kind: 'operators_without_rule', type, operators: uncovered.map(({ operator }) => operator) }]
}

/** A rule about first payments counts only where there is no other: it lets everybody pass who was paid before. */
function lowestOf(rules: readonly ApprovalRule[], operator: OperatorCode): bigint | null {
  const { country } = OPERATORS[operator]
  const here = rules.filter(
    ({ operators, countries }) =>
      (operators === null || operators.includes(operator)) && (countries === null || countries.includes(country.name)),
  )
  const limitsOf = (some: readonly ApprovalRule[]) =>
    some.flatMap((rule) => {
      const limit = limitIn(rule, country.currency)
      return limit === null ? [] : [BigInt(limit)]
    })
  const forAnybody = limitsOf(here.filter(({ firstTimeOnly }) => !firstTimeOnly))
  const limits = forAnybody.length > 0 ? forAnybody : limitsOf(here)
  return limits.length === 0 ? null : limits.reduce((lowest, limit) => (limit < lowest ? limit : lowest))
}
