export const DAY_MS = 86_400_000

/** Returns the present instant. Rules that depend on time take one, so that tests can move it. */
export type Clock = { now(): Date }

/**
 * A calendar day, YYYY-MM-DD, from FIRST_DAY to LAST_DAY. In the API and in the roll-ups it is a day in UTC; in the back office a day in
 * the business time zone of its application.
 */
export type UtcDay = string

/**
 * The days that PostgreSQL, JavaScript and the four-digit year of ISO 8601 all hold. PostgreSQL has no year 0, and JavaScript writes the
 * year after 9999 with a sign and six digits.
 */
export const FIRST_DAY: UtcDay = '0001-01-01'
export const LAST_DAY: UtcDay = '9999-12-31'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/

/** True for a calendar day that exists, written YYYY-MM-DD, from FIRST_DAY to LAST_DAY. */
export function isUtcDay(text: string): text is UtcDay {
  if (!DAY.test(text) || text < FIRST_DAY) return false
  const instant = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)
}

/** True for an instant written YYYY-MM-DDTHH:MM:SS[.fff]Z, on a day from FIRST_DAY to LAST_DAY. */
export function isUtcInstant(text: string): boolean {
  return INSTANT.test(text) && isUtcDay(text.slice(0, 10)) && !text.startsWith('T24', 10) && !Number.isNaN(Date.parse(text))
}

/** The UTC day in which an instant lies. */
export function utcDayOf(instant: Date): UtcDay {
  return instant.toISOString().slice(0, 10)
}

const FIRST_MS = Date.parse(`${FIRST_DAY}T00:00:00Z`)
const LAST_MS = Date.parse(`${LAST_DAY}T00:00:00Z`)

/** The day that is `days` whole days later (negative: earlier); FIRST_DAY or LAST_DAY if the result is beyond them. */
export function addDays(day: UtcDay, days: number): UtcDay {
  const ms = Date.parse(`${day}T00:00:00Z`) + days * DAY_MS
  return utcDayOf(new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)))
}

/** How many days a range has, both ends included; 0 or less if it ends before it begins. */
export function countDays(from: UtcDay, to: UtcDay): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
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

/** A range of days, both included. */
export type DayRange = { from: UtcDay; to: UtcDay }
/** The same, where null is open. */
export type OpenRange = { from: UtcDay | null; to: UtcDay | null }

/** The range of a preset: a month or a year is a whole calendar month or year, including the days still to come. */
const PRESET_RANGES = {
  today: ({ year, month, day }) => rangeOf([year, month, day], [year, month, day]),
  yesterday: ({ year, month, day }) => rangeOf([year, month, day - 1], [year, month, day - 1]),
  last7: ({ year, month, day }) => rangeOf([year, month, day - 6], [year, month, day]),
  last30: ({ year, month, day }) => rangeOf([year, month, day - 29], [year, month, day]),
  thisMonth: ({ year, month }) => rangeOf([year, month, 1], [year, month + 1, 0]),
  lastMonth: ({ year, month }) => rangeOf([year, month - 1, 1], [year, month, 0]),
  thisYear: ({ year }) => rangeOf([year, 0, 1], [year, 11, 31]),
} satisfies Record<string, (now: { year: number; month: number; day: number }) => DayRange>

type Calendar = [year: number, month: number, day: number]

function rangeOf(from: Calendar, to: Calendar): DayRange {
  return { from: utcDayOf(new Date(Date.UTC(...from))), to: utcDayOf(new Date(Date.UTC(...to))) }
}

/** The presets of the transaction list. */
export const LIST_PRESETS = ['today', 'yesterday', 'last7', 'last30', 'thisMonth', 'lastMonth'] as const
type ListPreset = (typeof LIST_PRESETS)[number]

/** The presets of the totals and the statements. */
export const TOTAL_PRESETS = ['today', 'yesterday', 'last7', 'thisMonth', 'lastMonth', 'thisYear', 'always'] as const
export type TotalPreset = (typeof TOTAL_PRESETS)[number]

/** The numbers of days that the overview can look back. */
export const OVERVIEW_DAYS = [7, 30, 90] as const

/** The days that a preset means on a day. */
export function presetRange(preset: keyof typeof PRESET_RANGES, today: UtcDay): DayRange {
  return PRESET_RANGES[preset]({ year: Number(today.slice(0, 4)), month: Number(today.slice(5, 7)) - 1, day: Number(today.slice(8)) })
}

/** The preset of the list that two days are today; undefined if they are none. */
export function presetOfDays(from: string | null, to: string | null, today: UtcDay): ListPreset | undefined {
  return LIST_PRESETS.find((preset) => {
    const days = presetRange(preset, today)
    return days.from === from && days.to === to
  })
}

/** The days that an address means: its own one or two days if it has any, otherwise its preset. Two days in the wrong order are exchanged. */
export function resolveDateRange(
  { dates, from, to }: { dates: TotalPreset; from: UtcDay | null; to: UtcDay | null },
  today: UtcDay,
): OpenRange {
  if (from === null && to === null) return dates === 'always' ? { from, to } : presetRange(dates, today)
  return from !== null && to !== null && from > to ? { from: to, to: from } : { from, to }
}
