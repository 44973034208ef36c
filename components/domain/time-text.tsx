'use client'

import { useNow, useTranslations } from '#components/ui/translations.tsx'
import { dayIn, daysWords, formatRelative, formatTime, formatUtc, type TimeStyle } from '#lib/time/format-time.ts'
import type { UtcDay } from '#lib/time/time.ts'

/** An instant (ISO 8601) in the person's time zone, with UTC on hover. */
export function TimeText({ at, style = 'day-time', className = '' }: { at: string; style?: TimeStyle; className?: string }) {
  const { t, timeZone } = useTranslations()
  const instant = new Date(at)
  return (
    <time dateTime={at} title={formatUtc(t, instant)} className={`tabular whitespace-nowrap ${className}`}>
      {formatTime(t, timeZone, instant, style)}
    </time>
  )
}

/** The distance of an instant from now (`3 min ago`, `in 6 d 23 h`), updated with the clock; local time and UTC on hover. */
export function RelativeTime({ at, className = '', isCoarse = false }: { at: string; className?: string; isCoarse?: boolean }) {
  const { t, timeZone } = useTranslations()
  const now = useNow()
  const instant = new Date(at)
  return (
    <time
      dateTime={at}
      title={`${formatTime(t, timeZone, instant, 'full')} (${formatUtc(t, instant)})`}
      className={`whitespace-nowrap ${className}`}
    >
      {formatRelative(t, instant, now, isCoarse)}
    </time>
  )
}

/** The time zone of a page's days. `zone`: that of the data, which may be newer than the page around it. */
export function DaysNote({ zone }: { zone: string }) {
  const { t, timeZone } = useTranslations()
  return <span className="text-quiet">{daysWords(t, zone, timeZone)}</span>
}

/** Returns the present day in the application's business time zone. Apart from the translations, which every page loads. */
export function useToday(): UtcDay {
  const { businessZone } = useTranslations()
  return dayIn(businessZone, useNow())
}
