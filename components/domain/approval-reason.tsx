'use client'

import type { ApprovalDecisionRow, ApprovalRow } from '#lib/approvals.ts'
import { deciderText } from '#lib/decider.ts'
import { formatAmount } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { compareDecimals } from '#lib/money.ts'

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

/** Who decided what, and whether it still counts. */
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
