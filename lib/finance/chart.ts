import type { Locale } from '#lib/i18n/locale.ts'
import { countDays, daysBetween, type UtcDay } from '#lib/time/time.ts'

/** The period of one bar of a chart. */
export type PeriodStep = 'day' | 'month' | 'year'

/** More bars than this are no longer read one by one, and each costs the page a row of its table. */
const DAYS_MAX = 100
const MONTHS_MAX = 120
const YEARS_MAX = 120

/**
 * The bars of a chart over a range of days: each day if there are few, otherwise each month, otherwise each year, and never more than 120 of them.
 * Of more years than that, the newest. Written as the start of a day: `2026-11-03`, `2026-11`, `2026`.
 */
export function chartPeriods(from: UtcDay, to: UtcDay): { step: PeriodStep; periods: string[] } {
  if (countDays(from, to) <= DAYS_MAX) return { step: 'day', periods: daysBetween(from, to) }
  const [firstMonth, lastMonth] = [monthNumber(from), monthNumber(to)]
  if (lastMonth - firstMonth < MONTHS_MAX) {
    const periods = Array.from({ length: lastMonth - firstMonth + 1 }, (_, place) => writeMonth(firstMonth + place))
    return { step: 'month', periods }
  }
  const lastYear = Number(to.slice(0, 4))
  const firstYear = Math.max(Number(from.slice(0, 4)), lastYear - YEARS_MAX + 1)
  return { step: 'year', periods: Array.from({ length: lastYear - firstYear + 1 }, (_, place) => writeYear(firstYear + place)) }
}

function monthNumber(day: UtcDay): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
}

function writeMonth(number: number): string {
  return `${writeYear(Math.floor(number / 12))}-${String((number % 12) + 1).padStart(2, '0')}`
}

function writeYear(year: number): string {
  return String(year).padStart(4, '0')
}

const ROUND = [1, 2, 2.5, 5, 10]
const TICKS_MAX = 4

/** The round values of a chart's axis above zero: three or four of them, the last at or above the highest value. */
export function axisValues(highest: number): number[] {
  if (!(highest > 0)) return []
  const power = 10 ** Math.floor(Math.log10(highest / TICKS_MAX))
  // One digit of tolerance, because 0.1 is no exact number.
  const step = power * (ROUND.find((round) => round * power * TICKS_MAX >= highest * (1 - 1e-12)) ?? 10)
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count }, (_, place) => Number(((place + 1) * step).toPrecision(12)))
}

const UNITS: readonly { from: number; en: string; fr: string }[] = [
  { from: 1e9, en: 'bn', fr: '\u00a0Md' },
  { from: 1e6, en: 'M', fr: '\u00a0M' },
  { from: 1e3, en: 'k', fr: '\u00a0k' },
]

/** Writes a round value short enough for an axis: `250k`, `2.5M`, `2,5 Md`. */
export function formatAxisValue(value: number, locale: Locale): string {
  const unit = UNITS.find(({ from }) => value >= from)
  const text = String(Number((unit ? value / unit.from : value).toPrecision(6)))
  return `${locale === 'fr' ? text.replace('.', ',') : text}${unit?.[locale] ?? ''}`
}
