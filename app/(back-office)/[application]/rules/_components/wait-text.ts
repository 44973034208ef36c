import type { Translate } from '#lib/i18n/translate.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns an estimated wait, no more exact than it can be: minutes, hours or days. */
export function waitText(t: Translate, waitMs: number | null): string {
  if (waitMs === null) return '–'
  if (waitMs >= 2 * DAY_MS) return t('rules.wait.days', { count: Math.round(waitMs / DAY_MS) })
  if (waitMs >= 2 * HOUR_MS) return t('rules.wait.hours', { count: Math.round(waitMs / HOUR_MS) })
  return t('rules.wait.minutes', { count: Math.max(1, Math.round(waitMs / MINUTE_MS)) })
}
