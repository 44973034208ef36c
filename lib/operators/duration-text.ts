import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** A response time: milliseconds below a second, seconds with one decimal below a minute, then minutes and seconds, hours and minutes. */
export function durationText(t: Translate, locale: Locale, ms: number): string {
  if (ms < SECOND_MS) return t('operators.ms', { ms })
  const whole = Math.round(ms / SECOND_MS) * SECOND_MS
  if (whole >= HOUR_MS) {
    const minutes = Math.round(ms / MINUTE_MS)
    return t('operators.hoursMinutes', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
  }
  if (whole >= MINUTE_MS)
    return t('operators.minutesSeconds', { minutes: Math.floor(whole / MINUTE_MS), seconds: (whole % MINUTE_MS) / SECOND_MS })
  const seconds = (ms / SECOND_MS).toFixed(1)
  return t('operators.seconds', { seconds: locale === 'fr' ? seconds.replace('.', ',') : seconds })
}
