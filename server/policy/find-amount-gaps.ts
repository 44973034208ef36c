import type { ApprovalRule } from '#lib/approval-policy.ts'
import { CURRENCIES, type Currency } from '#lib/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import type { RuleFinding } from '#lib/rule-finding.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/transaction-status.ts'

/** The lowest limit of what applies to an operator, hundredths; null: no rule applies. */
type Lowest = { operator: OperatorCode; lowestMinor: bigint | null }

/**
 * Returns which amounts of the API no rule holds back, although rules have limits in their currency: everything up to the lowest limit, and
 * operators that no rule covers. There are no gaps above the lowest limit, because a later band never requires less than an earlier one.
 * Payments from people and files always wait, and a currency without any rule is a finding of its own.
 */
export function findAmountGaps(
  rules: readonly ApprovalRule[],
  uses: readonly { type: TransactionType; operator: OperatorCode }[],
): RuleFinding[] {
  return TRANSACTION_TYPES.flatMap((type) => {
    const applying = rules.filter((rule) => rule.types.includes(type) && rule.sources.includes('api'))
    // Without limits, the rules are about places and people, and not about amounts.
    if (!applying.some((rule) => rule.aboveMinor !== '0')) return []
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
    ({ operators, countries, currency }) =>
      (operators === null || operators.includes(operator)) &&
      (countries === null || countries.includes(country.name)) &&
      (currency === null || currency === country.currency),
  )
  const forAnybody = here.filter(({ firstTimeOnly }) => !firstTimeOnly)
  const limits = (forAnybody.length > 0 ? forAnybody : here).map(({ aboveMinor }) => BigInt(aboveMinor))
  return limits.length === 0 ? null : limits.reduce((lowest, limit) => (limit < lowest ? limit : lowest))
}
