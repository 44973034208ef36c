import type { Translate } from '#lib/i18n/translate.ts'
import { DAY_MS, type UtcDay } from './time.ts'

type Parts = { year: number; month: number; day: number; hour: string; minute: string; second: string }

const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns the parts of an instant in a time zone (IANA name; an unknown one falls back to UTC). Only digits are taken from Intl:
 * names of months differ between the dictionaries of Node and of browsers, and then server and browser disagree.
 */
function partsIn(timeZone: string, instant: Date): Parts {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    const options = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    } as const
    try {
      formatter = new Intl.DateTimeFormat('en-GB', { ...options, timeZone })
    } catch {
      // A zone that this machine does not know: shown in UTC, as the label says.
      formatter = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    }
    formatters.set(timeZone, formatter)
  }
  const found = new Map(formatter.formatToParts(instant).map((part) => [part.type, part.value]))
  return {
    year: Number(found.get('year')),
    month: Number(found.get('month')),
    day: Number(found.get('day')),
    hour: found.get('hour') ?? '00',
    minute: found.get('minute') ?? '00',
    second: found.get('second') ?? '00',
  }
}

export type TimeStyle = 'time' | 'time-seconds' | 'day' | 'day-year' | 'day-time' | 'full'

/**
 * Formats an instant in a person's time zone. `time` 10:24, `time-seconds` 10:24:08, `day` 20 Nov, `day-year` 20 Nov 2026,
 * `day-time` 20 Nov, 10:24, `full` 20 Nov 2026, 10:24:08.
 */
export function formatTime(t: Translate, timeZone: string, instant: Date, style: TimeStyle): string {
  const parts = partsIn(timeZone, instant)
  const month = t('time.months').split(' ')[parts.month - 1] ?? ''
  const day = `${parts.day} ${month}`
  const time = `${parts.hour}:${parts.minute}`
  switch (style) {
    case 'time':
      return time
    case 'time-seconds':
      return `${time}:${parts.second}`
    case 'day':
      return day
    case 'day-year':
      return `${day} ${parts.year}`
    case 'day-time':
      return `${day}, ${time}`
    case 'full':
      return `${day} ${parts.year}, ${time}:${parts.second}`
  }
}

/** Formats an instant in UTC, for the tooltip of a local time: 20 Nov 2026, 09:24:08 UTC. */
export function formatUtc(t: Translate, instant: Date): string {
  return `${formatTime(t, 'UTC', instant, 'full')} UTC`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Times nearer than this read `now`. */
const NOW_MS = 10_000

/**
 * Formats a duration in its two largest units, `6 d 23 h`, `3 h 10 min`, `12 min`, `40 s`; `isCoarse`: only the largest.
 * A negative duration counts as zero.
 */
export function formatDuration(t: Translate, durationMs: number, isCoarse = false): string {
  const rest = Math.max(0, durationMs)
  if (isCoarse && rest >= DAY_MS) return t('time.days', { days: Math.floor(rest / DAY_MS) })
  if (isCoarse && rest >= HOUR_MS) return t('time.hours', { hours: Math.floor(rest / HOUR_MS) })
  if (rest >= DAY_MS) return t('time.daysHours', { days: Math.floor(rest / DAY_MS), hours: Math.floor((rest % DAY_MS) / HOUR_MS) })
  if (rest >= HOUR_MS)
    return t('time.hoursMinutes', { hours: Math.floor(rest / HOUR_MS), minutes: Math.floor((rest % HOUR_MS) / MINUTE_MS) })
  if (rest >= MINUTE_MS) return t('time.minutes', { minutes: Math.floor(rest / MINUTE_MS) })
  return t('time.seconds', { seconds: Math.floor(rest / 1000) })
}

/**
 * Formats the distance of an instant from now: `now`, `3 min ago`, `in 6 d 23 h`. `isCoarse`: `in 6 d`, and `now` for less than a minute, so that
 * a page that is being looked at does not count seconds.
 */
export function formatRelative(t: Translate, instant: Date, now: Date, isCoarse = false): string {
  const aheadMs = instant.getTime() - now.getTime()
  if (Math.abs(aheadMs) < (isCoarse ? MINUTE_MS : NOW_MS)) return t('time.now')
  const duration = formatDuration(t, Math.abs(aheadMs), isCoarse)
  return aheadMs > 0 ? t('time.in', { duration }) : t('time.ago', { duration })
}

/** An application and the zone (IANA name) in which its days begin and end in the back office. */
export type BusinessTime = { applicationId: string; businessZone: string }

/** The day in a zone in which an instant lies. */
export function dayIn(zone: string, instant: Date): UtcDay {
  const { year, month, day } = partsIn(zone, instant)
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** An instant on the clock of a zone, for files: `2026-11-20 10:24:08`. */
export function clockIn(zone: string, instant: Date): string {
  const { hour, minute, second } = partsIn(zone, instant)
  return `${dayIn(zone, instant)} ${hour}:${minute}:${second}`
}

/**
 * The instant at which the clocks of a zone show a local time of a form, `2026-11-27T16:00`: the first of two. Undefined for text that is no time,
 * and for a time that the clocks leave out.
 */
export function instantIn(zone: string, local: string): Date | undefined {
  const asUtcMs = Date.parse(`${local}:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local) || Number.isNaN(asUtcMs)) return undefined
  // The distance from UTC a day before and a day after: a change of the clocks lies between them or changes nothing here.
  for (const aroundMs of [asUtcMs - DAY_MS, asUtcMs + DAY_MS]) {
    const offsetMs = Date.parse(`${localIn(zone, new Date(aroundMs))}:00Z`) - aroundMs
    const instant = new Date(asUtcMs - offsetMs)
    if (localIn(zone, instant) === local) return instant
  }
  return undefined
}

/** An instant on the clock of a zone, as a form writes it: `2026-11-27T16:00`. */
export function localIn(zone: string, instant: Date): string {
  return clockIn(zone, instant).slice(0, 16).replace(' ', 'T')
}

/** A zone in words, by the place that it is named after: `Douala time`; UTC has no place. */
export function zoneWords(t: Translate, zone: string): string {
  return zone === 'UTC' ? zone : t('time.placeTime', { place: zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ') })
}

/** The time zone of a page's days and, if the person reads clock times in another zone, that zone. */
export function daysWords(t: Translate, businessZone: string, ownZone: string): string {
  const zone = zoneWords(t, businessZone)
  return ownZone === businessZone ? t('time.daysIn', { zone }) : t('time.daysAndTimesIn', { zone, own: zoneWords(t, ownZone) })
}
