import type { RowProblem, RowWarning } from './batch-file/batch-fields.ts'
import { formatAmount, moneyText } from './format.ts'
import { formatTime } from './format-time.ts'
import type { Locale } from './i18n/locale.ts'
import type { MessageKey, Translate } from './i18n/translate.ts'
import { isOperatorCode, OPERATORS } from './operators.ts'

/** How findings are written: language, and the zone of times. */
export type BatchWords = { t: Translate; locale: Locale; timeZone: string }

/** Why a row cannot be submitted, in a sentence that says what to do. */
export function problemText({ t, locale }: BatchWords, { kind, values = {} }: RowProblem): string {
  const { operator, country, minimum, maximum } = values
  return t(`batches.problem.${kind}`, {
    ...values,
    ...(operator ? { operator: operatorText(t, operator) } : {}),
    ...(country ? { country: t(`country.${country}` as MessageKey) } : {}),
    ...(minimum ? { minimum: formatAmount(minimum, locale) } : {}),
    ...(maximum ? { maximum: formatAmount(maximum, locale) } : {}),
  })
}

/** What a person should look at before submitting. */
export function warningText({ t, locale, timeZone }: BatchWords, warning: RowWarning): string {
  switch (warning.kind) {
    case 'duplicate':
      return t('batches.warning.duplicate', { count: warning.count, row: warning.row })
    case 'paid':
      return t('batches.warning.paid', { amount: moneyText(warning, locale), time: formatTime(t, timeZone, new Date(warning.at), 'full') })
    case 'name':
      return t('batches.warning.name', { name: warning.before })
    case 'limits':
      return t('batches.warning.limits', {
        minimum: formatAmount(warning.minimum, locale),
        maximum: moneyText({ amount: warning.maximum, currency: warning.currency }, locale),
      })
    case 'formula':
      return t('batches.warning.formula', { field: t(`batches.field.${warning.field}`) })
  }
}

/** An operator as people name it: `MTN Cameroon`. */
export function operatorText(t: Translate, code: string): string {
  if (!isOperatorCode(code)) return code
  const { brand, country } = OPERATORS[code]
  return `${brand} ${t(`country.${country.name}`)}`
}
