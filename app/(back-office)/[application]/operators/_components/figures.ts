import { formatCount, formatShare } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { Outcomes } from '#lib/operator-outcomes.ts'

const SECOND_MS = 1_000

/** A response time: milliseconds below a second, else seconds with one decimal. */
export function durationText(t: Translate, locale: Locale, ms: number): string {
  if (ms < SECOND_MS) return t('operators.ms', { ms })
  const seconds = (ms / SECOND_MS).toFixed(1)
  return t('operators.seconds', { seconds: locale === 'fr' ? seconds.replace('.', ',') : seconds })
}

/** The figures of one row as text; a dash where there is nothing to divide. */
export function figuresOf(t: Translate, locale: Locale, { succeeded, failed, open, responses }: Outcomes) {
  const ended = succeeded + failed
  const { count, unknown, medianMs, slowMs } = responses
  return {
    succeeded: ended === 0 ? '–' : formatShare(succeeded / ended, locale),
    failed: ended === 0 ? '–' : formatShare(failed / ended, locale),
    open: formatCount(open, locale),
    ended: formatCount(ended, locale),
    unanswered: count === 0 ? '–' : formatShare(unknown / count, locale),
    median: medianMs === null ? '–' : durationText(t, locale, medianMs),
    slow: slowMs === null ? null : t('operators.slow', { time: durationText(t, locale, slowMs) }),
  }
}
