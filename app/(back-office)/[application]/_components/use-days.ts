'use client'

import { useT } from '#components/ui/translations.tsx'
import { formatTime } from '#lib/format-time.ts'
import type { OpenRange } from '#lib/time.ts'

/** Writes days, periods of a chart and ranges of days in the reader's language. */
export function useDays() {
  const t = useT()
  const instant = (day: string) => new Date(`${day}T00:00:00Z`)
  const day = (text: string) => formatTime(t, 'UTC', instant(text), 'day-year')
  const month = (text: string) => formatTime(t, 'UTC', instant(`${text}-01`), 'day-year').replace(/^\d+ /, '')
  return {
    day,
    /** `2026-11-03`, `2026-11` or `2026`, short. */
    period: (text: string) => (text.length === 4 ? text : text.length === 7 ? month(text) : formatTime(t, 'UTC', instant(text), 'day')),
    /** `1 Nov 2026 to 30 Nov 2026` */
    range({ from, to }: OpenRange): string {
      if (from === null && to === null) return t('totals.range.always')
      if (from === null) return t('totals.range.until', { to: day(to ?? '') })
      if (to === null) return t('totals.range.since', { from: day(from) })
      return from === to ? t('totals.range.day', { day: day(from) }) : t('totals.range.days', { from: day(from), to: day(to) })
    },
  }
}
