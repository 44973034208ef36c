import type { Currency } from './money.ts'
import type { TransactionType } from './transaction-status.ts'

/** How many people would have to approve, and how many of the present checkers could. */
export type DeciderShortage = {
  /** The rules that require it, alone or together. */
  rules: readonly string[]
  needed: number
  available: number
  needsCode: boolean
}

/** What is wrong with approval rules. Each has a sentence in lib/i18n. */
export type RuleFinding =
  /** Nothing that these rules hold back could be approved by the present checkers. The rules cannot be saved. */
  | (DeciderShortage & { kind: 'nobody_can_approve' })
  /** The payments of these makers could not be approved, because they are checkers themselves. */
  | (DeciderShortage & { kind: 'makers_stuck'; makers: readonly string[] })
  /** Rules have limits in other currencies, and none covers these, which the application uses. */
  | { kind: 'currency_without_rule'; type: TransactionType; isApi: boolean; currencies: readonly Currency[] }

/** Whether rules with this finding are refused. */
export function isRefused({ kind }: RuleFinding): boolean {
  return kind === 'nobody_can_approve'
}
