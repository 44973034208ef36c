import type {
  ApprovalDecisionRow,
  ApprovalEnd,
  ApprovalRow,
  CurrencyAmount,
  DecidedItem,
  DecisionRefusal,
  DecisionResult,
  RecallObstacle,
} from '#lib/approvals/approvals.ts'
import { deciderText, endedBy } from '#lib/approvals/evidence.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES, compareDecimals, formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import type { ActionResult } from '#lib/result.ts'
import { formatAmount, moneyText } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'

type DecideAction = (application: string, input: unknown) => Promise<ActionResult<DecisionResult[], DecisionRefusal>>
type RecallAction = (application: string, input: unknown) => Promise<ActionResult<true, RecallObstacle>>
export type DecisionActions = { decide: DecideAction; recall: RecallAction }
/** The decision that somebody is about to make. */
export type Intent = 'validated' | 'rejected' | 'recall'

/** Count and exact sum of some items per currency, never added together. */
export function sumItems(items: readonly Pick<DecidedItem, 'amount' | 'currency'>[]): CurrencyAmount[] {
  return CURRENCIES.flatMap((currency) => {
    const own = items.filter((item) => item.currency === currency)
    if (own.length === 0) return []
    return [
      { currency, count: own.length, amount: formatMinor(own.reduce((sum, item) => sum + (parseAmountMinor(item.amount) ?? 0n), 0n)) },
    ]
  })
}

/** `4,215,000 XAF · 300,000 XOF`. */
export function sumsText(sums: readonly CurrencyAmount[], locale: Locale): string {
  return sums.map((sum) => `${formatAmount(sum.amount, locale)}\u00a0${sum.currency}`).join(' · ')
}

/** The result of one decision, naming the payment: `Validated: 250,000 XAF to Awa Diop`. */
export function doneText(
  t: Translate,
  locale: Locale,
  intent: Intent,
  item: DecidedItem,
  result: Extract<DecisionResult, { kind: 'done' }> | undefined,
): string {
  const values = { amount: moneyText(item, locale), name: item.customerName }
  if (intent === 'recall') return t('approvals.toast.recalled', values)
  if (intent === 'rejected' || result?.status !== 'PENDING_APPROVAL') return t(`approvals.toast.${item.type}.${intent}`, values)
  return t(`approvals.toast.${item.type}.counted`, { ...values, given: result.given, needed: result.needed })
}

/** The reader's language and time zone. */
export type Translations = { t: Translate; locale: Locale; timeZone: string }

/** Who ended the wait of a payment, when, and with which reason; without an end on record, that it no longer waits. */
export function endText({ t, timeZone }: Translations, end: ApprovalEnd | null): string {
  if (!end) return t('approvals.refused.not_waiting')
  const at = formatTime(t, timeZone, new Date(end.at), 'day-time')
  const text = t(`approvals.ended.${end.event}`, { name: endedBy(t, end), at })
  return end.reason && end.event !== 'expired' ? `${text} ${t('approvals.quoted', { text: end.reason })}` : text
}

/** Why a transaction waits, in a few words: the highest threshold it passed and whether the number is new; else the rule's name. */
export function reasonText(
  t: Translate,
  locale: Locale,
  row: Pick<ApprovalRow, 'amount' | 'reasons' | 'source' | 'maker' | 'ruleName'>,
): string {
  const thresholds = row.reasons.flatMap((reason) => (reason.above === null ? [] : [{ above: reason.above, currency: reason.currency }]))
  const highest = thresholds.sort((left, right) => compareDecimals(right.above, left.above))[0]
  const isFirst = row.reasons.some((reason) => reason.isFirstTimeOnly)
  const words: string[] = []
  if (highest) {
    const amount = `${formatAmount(highest.above, locale)}\u00a0${highest.currency ?? ''}`
    // The row alone may be smaller: its batch, or what the same maker sent there within a day, counts too.
    words.push(t(compareDecimals(row.amount, highest.above) > 0 ? 'approvals.reason.above' : 'approvals.reason.togetherAbove', { amount }))
  }
  if (isFirst) words.push(t(highest ? 'approvals.reason.firstToo' : 'approvals.reason.first'))
  if (words.length > 0) return words.join(', ')
  if (row.source === 'file') return t('approvals.reason.file')
  return row.maker ? t('approvals.reason.person') : row.ruleName
}

/** The decision, its person, and whether it still counts. */
export function decisionText(t: Translate, { decision, counts, ...decider }: ApprovalDecisionRow): string {
  return t(decision === 'validated' && !counts ? 'approvals.by.notCounted' : `approvals.by.${decision}`, {
    name: deciderText(t, decider),
  })
}

/** `1 of 2 approvals`, with the step where there are two and the code where one is asked for; `isShort`: on one line of a list. */
export function progressText(
  t: Translate,
  row: Pick<ApprovalRow, 'given' | 'needed' | 'steps' | 'step' | 'needsCode'>,
  isShort = false,
): string {
  const isLong = row.steps.length > 1 || row.needsCode
  const parts = [t(isShort && isLong ? 'approvals.progressShort' : 'approvals.progress', { given: row.given, needed: row.needed })]
  if (row.steps.length > 1) parts.push(t('approvals.step', { step: row.step, steps: row.steps.length }))
  if (row.needsCode) parts.push(t(isShort ? 'approvals.withCodeShort' : 'approvals.withCode'))
  return parts.join(' · ')
}
