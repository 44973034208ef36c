import { countDays, daysBetween, type UtcDay } from './time.ts'

/** What one bar of a chart is. */
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
