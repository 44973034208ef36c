import type { Currency } from './money.ts'
import type { OperatorCode } from './operators.ts'
import type { TransactionType } from './transaction-status.ts'

/** How many people would have to approve, and how many of the current checkers could. */
export type DeciderShortage = {
  /** The rules that require it, alone or together. */
  rules: readonly string[]
  needed: number
  available: number
  needsCode: boolean
}

/** What is wrong with approval rules. Each has a sentence in lib/i18n. */
export type RuleFinding =
  /** Nothing that these rules hold back could be approved by the current checkers. The rules cannot be saved. */
  | (DeciderShortage & { kind: 'nobody_can_approve' })
  /** The payments of these makers could not be approved, because they are checkers themselves. */
  | (DeciderShortage & { kind: 'makers_stuck'; makers: readonly string[] })
  /** Rules have limits in other currencies, and none covers these, which the application uses. */
  | { kind: 'currency_without_rule'; type: TransactionType; isApi: boolean; currencies: readonly Currency[] }
  /** Rules have limits in this currency, and none covers these operators, for what the API starts. */
  | { kind: 'operators_without_rule'; type: TransactionType; operators: readonly OperatorCode[] }
  /** What the API starts up to this amount is sent without approval; `operators`: only there, null: at all operators in use. */
  | {
      kind: 'amounts_without_rule'
      type: TransactionType
      currency: Currency
      upToMinor: string
      operators: readonly OperatorCode[] | null
    }

/** Whether rules with this finding are refused. All others can be saved by somebody who has seen and accepted them. */
export function isRefused({ kind }: RuleFinding): boolean {
  return kind === 'nobody_can_approve'
}

/** A finding as the person who accepts it sends it back: the same text for the same finding. */
export function findingKey(finding: RuleFinding): string {
  return JSON.stringify(finding)
}
