import type { Locale } from '#lib/i18n/locale.ts'
import { formatMinor, parseMinor } from '#lib/money/money.ts'
import { formatCount, withPercent } from '#lib/text/format.ts'
import { addDays, countDays, type DayRange, FIRST_DAY, monthEnd, resolveDateRange, type UtcDay, utcDayOf } from '#lib/time/time.ts'
import type { DatesQuery } from './finance-address.ts'

/**
 * The days that a period is compared with. A month or a year so far: the same days of the one before; a whole month: the whole month
 * before; other ranges: as many days directly before. Days still to come do not count. Null for a range that is open at its
 * beginning, has not started or starts with the calendar.
 */
export function rangeBefore(query: DatesQuery, today: UtcDay): DayRange | null {
  const { from, to } = resolveDateRange(query, today)
  if (from === null || from > today || from === FIRST_DAY) return null
  const end = to === null || to > today ? today : to
  const preset = query.from === null && query.to === null ? query.dates : null
  if (preset === 'thisMonth') return { from: monthsBack(from, 1), to: monthsBack(end, 1) }
  if (preset === 'lastMonth') return { from: monthsBack(from, 1), to: addDays(from, -1) }
  if (preset === 'thisYear') return { from: monthsBack(from, 12), to: monthsBack(end, 12) }
  return { from: addDays(from, -countDays(from, end)), to: addDays(from, -1) }
}

/** The same day some months earlier, or the last day of that month if it is shorter. */
function monthsBack(day: UtcDay, months: number): UtcDay {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() - months)
  const month = utcDayOf(first).slice(0, 7)
  const last = monthEnd(month)
  const same = `${month}-${day.slice(8)}`
  return same > last ? last : same
}

/** Ten times as much or more is no percentage that anybody reads. */
const THOUSANDTHS_MAX = 9_999n

/**
 * By how much an amount differs from the one before, in thousandths where that means something: the one before is above zero, the one now not
 * below it, and the difference below ten times the one before.
 */
export function compareAmounts(now: string, before: string): { difference: string; thousandths: bigint | null } {
  const [nowMinor, beforeMinor] = [parseMinor(now), parseMinor(before)]
  const difference = nowMinor - beforeMinor
  if (beforeMinor <= 0n || nowMinor < 0n) return { difference: formatMinor(difference), thousandths: null }
  const absolute = difference < 0n ? -difference : difference
  const rounded = (absolute * 2_000n + beforeMinor) / (beforeMinor * 2n)
  const thousandths = rounded > THOUSANDTHS_MAX ? null : difference < 0n ? -rounded : rounded
  return { difference: formatMinor(difference), thousandths }
}

/** Formats thousandths as a percentage with its sign: `+4.2%`, `−12,5 %`. */
export function formatChange(thousandths: bigint, locale: Locale): string {
  const absolute = thousandths < 0n ? -thousandths : thousandths
  const sign = thousandths < 0n ? '−' : thousandths > 0n ? '+' : ''
  return withPercent(`${sign}${formatCount(absolute / 10n, locale)}${locale === 'fr' ? ',' : '.'}${absolute % 10n}`, locale)
}
