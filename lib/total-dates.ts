import { FIRST_DAY, LAST_DAY, type UtcDay, utcDayOf } from './time.ts'

export const TOTAL_PRESETS = ['today', 'yesterday', 'last7', 'thisMonth', 'lastMonth', 'thisYear', 'always'] as const
export type TotalPreset = (typeof TOTAL_PRESETS)[number]

/** How many days back the overview looks. */
export const OVERVIEW_DAYS = [7, 30, 90] as const

export type OpenRange = { from: UtcDay | null; to: UtcDay | null }

/** The UTC days that a preset of the totals means at an instant, both included; a month or year is whole, also what is still to come of it. */
function totalDays(preset: TotalPreset, now: Date): OpenRange {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const at = (y: number, m: number, d: number) => utcDayOf(new Date(Date.UTC(y, m, d)))
  switch (preset) {
    case 'today':
      return { from: at(year, month, day), to: at(year, month, day) }
    case 'yesterday':
      return { from: at(year, month, day - 1), to: at(year, month, day - 1) }
    case 'last7':
      return { from: at(year, month, day - 6), to: at(year, month, day) }
    case 'thisMonth':
      return { from: at(year, month, 1), to: at(year, month + 1, 0) }
    case 'lastMonth':
      return { from: at(year, month - 1, 1), to: at(year, month, 0) }
    case 'thisYear':
      return { from: at(year, 0, 1), to: at(year, 11, 31) }
    case 'always':
      return { from: null, to: null }
  }
}

/** The days that an address asks for: two (or one) of its own, else its preset. Two that are the wrong way round are turned. */
export function resolveDateRange(
  { dates, from, to }: { dates: TotalPreset; from: UtcDay | null; to: UtcDay | null },
  now: Date,
): OpenRange {
  if (from === null && to === null) return totalDays(dates, now)
  return from !== null && to !== null && from > to ? { from: to, to: from } : { from, to }
}

const DAY_MS = 86_400_000
const FIRST_MS = Date.parse(`${FIRST_DAY}T00:00:00Z`)
const LAST_MS = Date.parse(`${LAST_DAY}T00:00:00Z`)

/** The day so many whole days later (negative: earlier); FIRST_DAY or LAST_DAY when the result lies beyond them. */
export function addDays(day: UtcDay, days: number): UtcDay {
  const ms = Date.parse(`${day}T00:00:00Z`) + days * DAY_MS
  return utcDayOf(new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)))
}

/** Every day of a range, both ends included. */
export function daysBetween(from: UtcDay, to: UtcDay): UtcDay[] {
  const days: UtcDay[] = []
  // The day after LAST_DAY is LAST_DAY again, so the loop ends at `to` and not after it.
  for (let day = from; day < to; day = addDays(day, 1)) days.push(day)
  if (from <= to) days.push(to)
  return days
}

/** The last day of a month, `2026-11` or a day of it. */
export function monthEnd(month: string): UtcDay {
  const end = new Date(`${month.slice(0, 7)}-01T00:00:00Z`)
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  end.setUTCMonth(end.getUTCMonth() + 1, 0)
  return utcDayOf(end)
}
