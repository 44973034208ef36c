import type { DecisionResult, ShownRow } from '#lib/approvals/approvals.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { formatAmount } from '#lib/text/format.ts'
import { decisionText, endText, type Translations } from './decision-text.tsx'

/** The result of a decision beside its payment, which names itself. */
export function outcomeText(
  t: Translate,
  decision: 'validated' | 'rejected',
  result: Exclude<DecisionResult, { kind: 'refused' }>,
): string {
  if (result.kind === 'intended') {
    const { given, needed } = result
    return given < needed ? t('approvals.done.intendedCounted', { given, needed }) : t('approvals.done.intended')
  }
  if (decision === 'rejected' || result.status !== 'PENDING_APPROVAL') return t(`approvals.done.${decision}`)
  return t('approvals.done.counted', { given: result.given, needed: result.needed })
}

type Refused = Extract<DecisionResult, { kind: 'refused' }>

/** Why one decision was refused, naming who was quicker. */
export function refusedText(words: Translations, { reason, now }: Refused): string {
  if (reason === 'not_waiting' && now?.end) return endText(words, now.end)
  return words.t(`approvals.refused.${reason}`)
}

type Field = [string, (row: ShownRow) => string]

/** The differences between what was shown and what is stored now, field by field. */
export function differences({ t, locale }: Translations, shown: ShownRow, now: ShownRow): { field: string; shown: string; now: string }[] {
  const money = (row: ShownRow, amount: string) => `${formatAmount(amount, locale)}\u00a0${row.currency}`
  const fields: readonly Field[] = [
    [t('payment.field.amount'), (row) => money(row, row.amount)],
    [t('approvals.field.fees'), (row) => `${money(row, row.feeSystem)} + ${money(row, row.feeApp)}`],
    ...PAYMENT_TEXT_NAMES.map((name) => [t(`payment.field.${name}`), (row: ShownRow) => row[name]] satisfies Field),
    [t('payment.field.phoneNumber'), (row) => row.phoneNumber],
    [t('payment.field.operator'), (row) => row.operator],
    [t('attachment.title'), ({ attachment }) => (attachment ? `${attachment.fileName} (${attachment.sha256.slice(0, 12)})` : '–')],
    [t('approvals.field.rule'), (row) => row.ruleName],
    [t('approvals.field.needed'), (row) => row.steps.join(' + ')],
    [t('approvals.field.decisions'), (row) => row.decisions.map((one) => decisionText(t, one)).join(', ') || '–'],
  ]
  return fields.map(([field, read]) => ({ field, shown: read(shown), now: read(now) })).filter((each) => each.shown !== each.now)
}
