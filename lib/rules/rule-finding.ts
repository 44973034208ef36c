import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { type Currency, formatMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { moneyText } from '#lib/text/format.ts'

/** How many people would have to approve, and how many of the current checkers could. */
export type DeciderShortage = {
  /** The rules that require it, alone or together. */
  rules: readonly string[]
  needed: number
  available: number
  needsCode: boolean
}

/** A problem with approval rules. Each has a sentence in lib/i18n. */
export type RuleFinding =
  /** Nothing that these rules hold back could be approved by the current checkers. The rules cannot be activated, unless those in effect are so too. */
  | (DeciderShortage & { kind: 'nobody_can_approve' })
  /** The payments of these makers could not be approved, because they are checkers themselves. */
  | (DeciderShortage & { kind: 'makers_stuck'; makers: readonly string[] })
  /** Rules have limits in other currencies, and none covers these, which the application uses. */
  | { kind: 'currency_without_rule'; type: TransactionType; isApi: boolean; currencies: readonly Currency[] }
  /** Rules have limits in this currency, and none covers these operators, for what the API starts. */
  | { kind: 'operators_without_rule'; type: TransactionType; operators: readonly OperatorCode[] }
  /** API payments up to this amount are sent without approval; `operators`: only there, null: at all operators in use. */
  | {
      kind: 'amounts_without_rule'
      type: TransactionType
      currency: Currency
      upToMinor: string
      operators: readonly OperatorCode[] | null
    }

/** Whether rules in which this finding is new are refused. With any other, somebody who has seen and accepted it can propose the activation. */
export function isRefused({ kind }: RuleFinding): boolean {
  return kind === 'nobody_can_approve'
}

/** A finding as the person who accepts it sends it back: the same text for the same finding. */
export function findingKey(finding: RuleFinding): string {
  return JSON.stringify(finding)
}

/** Whether one of the present findings says the same or something worse, so that this one is nothing new. */
export function isKnown(finding: RuleFinding, present: readonly RuleFinding[]): boolean {
  return present.some((other) => covers(other, finding))
}

function covers(other: RuleFinding, finding: RuleFinding): boolean {
  switch (finding.kind) {
    case 'nobody_can_approve':
      return other.kind === 'nobody_can_approve' && coversShortage(other, finding)
    case 'makers_stuck':
      return (
        (other.kind === 'nobody_can_approve' && coversShortage(other, finding)) ||
        (other.kind === 'makers_stuck' && coversShortage(other, finding) && isWithin(finding.makers, other.makers))
      )
    case 'currency_without_rule':
      return (
        other.kind === 'currency_without_rule' &&
        other.type === finding.type &&
        other.isApi === finding.isApi &&
        isWithin(finding.currencies, other.currencies)
      )
    case 'operators_without_rule':
      return other.kind === 'operators_without_rule' && other.type === finding.type && isWithin(finding.operators, other.operators)
    case 'amounts_without_rule':
      return (
        other.kind === 'amounts_without_rule' &&
        other.type === finding.type &&
        other.currency === finding.currency &&
        BigInt(finding.upToMinor) <= BigInt(other.upToMinor) &&
        (other.operators === null || (finding.operators !== null && isWithin(finding.operators, other.operators)))
      )
  }
}

/** The same rules require at least as much of the same checkers. */
function coversShortage(other: DeciderShortage, finding: DeciderShortage): boolean {
  const isAsMuch = other.needed >= finding.needed && (other.needsCode || !finding.needsCode)
  return isAsMuch && isWithin(finding.rules, other.rules) && isWithin(other.rules, finding.rules)
}

function isWithin<Value>(some: readonly Value[], all: readonly Value[]): boolean {
  return some.every((value) => all.includes(value))
}

/** Returns a finding as one sentence that says what is wrong and, for a refusal, what would help. */
export function findingText(t: Translate, locale: Locale, finding: RuleFinding): string {
  if (finding.kind === 'currency_without_rule') {
    const { type, isApi, currencies } = finding
    const kind = t(`rules.sentence.types.${type}`).toLowerCase()
    return t(isApi ? 'rules.finding.currencyApi' : 'rules.finding.currencyPerson', { kind, currencies: currencies.join(', ') })
  }
  if (finding.kind === 'operators_without_rule') {
    const kind = t(`rules.sentence.types.${finding.type}`).toLowerCase()
    return t('rules.finding.operators', { kind, operators: operatorNames(t, locale, finding.operators) })
  }
  if (finding.kind === 'amounts_without_rule') {
    const { type, currency, upToMinor, operators } = finding
    const values = {
      kind: t(`rules.sentence.types.${type}`),
      amount: moneyText({ amount: formatMinor(BigInt(upToMinor)), currency }, locale),
    }
    if (operators === null) return t('rules.finding.amounts', values)
    return t('rules.finding.amountsAt', { ...values, operators: operatorNames(t, locale, operators) })
  }
  const { rules, needed, available, needsCode } = finding
  const values = { rules: rules.join(' + '), count: needed, available }
  if (finding.kind === 'makers_stuck')
    return t(needsCode ? 'rules.finding.stuckCode' : 'rules.finding.stuck', { ...values, makers: finding.makers.join(', ') })
  return t(needsCode ? 'rules.finding.nobodyCode' : 'rules.finding.nobody', values)
}

function operatorNames(t: Translate, locale: Locale, operators: readonly OperatorCode[]): string {
  const names = operators.map((code) => `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`)
  return new Intl.ListFormat(locale).format(names)
}

/** How many days a replay looks back. */
export const REPLAY_DAYS = 90

/** Items that need the same number of approvals. A batch from a file is one item. */
export type ReplayNeeds = {
  needed: number
  needsCode: boolean
  items: number
  /** Estimated; null if nothing was decided from which it could be estimated. */
  waitMs: number | null
}

/** The items that one version of the rules would have held for approval. */
export type ReplaySide = { version: number; items: number; transactions: number; needs: readonly ReplayNeeds[] }

/** Whose payments would have waited; `name` is null for the application's program. */
export type ReplayMaker = { name: string | null; itemsActive: number; itemsNew: number; waitMs: number | null }

/** Items that the current checkers are too few to approve. `maker` is null where the maker makes no difference. */
export type ReplayShortage = DeciderShortage & { maker: string | null; items: number; transactionIds: readonly string[] }

/** How long decided items that needed this many approvals waited. */
export type ObservedWait = { needed: number; count: number; medianMs: number }

/** Two versions of the approval rules over the same past transactions. Instants are ISO 8601. */
export type PolicyReplay = {
  from: string
  to: string
  /** All transactions that were started in these days. */
  transactions: number
  active: ReplaySide
  proposed: ReplaySide
  /** Items that only one of the two versions would have stopped. */
  newlyStopped: number
  noLongerStopped: number
  /** Items that both would have stopped, and that would have needed more or fewer approvals, or a code that they do not need now. */
  stricter: number
  milder: number
  makers: readonly ReplayMaker[]
  shortages: readonly ReplayShortage[]
  observed: readonly ObservedWait[]
}

export type ReplayFailure =
  | 'unknown_version'
  | 'unreadable_rules'
  /** The report was stopped because it exceeded its time limit. */
  | 'too_slow'
  /** Other reports are running in this process. */
  | 'busy'
