import { formatAmount } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { type DiagnosedAttempt, diagnoseWebhook } from '#lib/webhook-diagnosis.ts'

/** The diagnosis of an attempt in the reader's language. */
export function diagnosisText(t: Translate, locale: Locale, attempt: DiagnosedAttempt): string {
  const { key, values } = diagnoseWebhook(attempt, (ms) => formatAmount((ms / 1_000).toFixed(1), locale))
  return t(key, values)
}
