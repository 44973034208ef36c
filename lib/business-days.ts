import type { Translate } from '#lib/i18n/translate.ts'
import { partsIn } from './format-time.ts'
import type { UtcDay } from './time.ts'

/** An application and the zone (IANA name) in which its days begin and end in the back office. */
export type BusinessTime = { applicationId: string; businessZone: string }

/** The day in a zone in which an instant lies. */
export function dayIn(zone: string, instant: Date): UtcDay {
  const { year, month, day } = partsIn(zone, instant)
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** A zone in words, by the place that it is named after: `Douala time`; UTC has no place. */
export function zoneWords(t: Translate, zone: string): string {
  return zone === 'UTC' ? zone : t('time.placeTime', { place: zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ') })
}

/** What the days of a page are, and, if the person reads clock times in another zone, what those are. */
export function daysWords(t: Translate, businessZone: string, ownZone: string): string {
  const zone = zoneWords(t, businessZone)
  return ownZone === businessZone ? t('time.daysIn', { zone }) : t('time.daysAndTimesIn', { zone, own: zoneWords(t, ownZone) })
}
