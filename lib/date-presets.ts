import { type UtcDay, utcDayOf } from './time.ts'

export const DATE_PRESETS = ['today', 'yesterday', 'last7', 'last30', 'thisMonth', 'lastMonth'] as const
type DatePreset = (typeof DATE_PRESETS)[number]

type DayRange = { from: UtcDay; to: UtcDay }

/** The UTC days that a preset means at an instant, both included. */
export function daysOfPreset(preset: DatePreset, now: Date): DayRange {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const at = (y: number, m: number, d: number) => utcDayOf(new Date(Date.UTC(y, m, d)))
  const today = at(year, month, day)
  switch (preset) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: at(year, month, day - 1), to: at(year, month, day - 1) }
    case 'last7':
      return { from: at(year, month, day - 6), to: today }
    case 'last30':
      return { from: at(year, month, day - 29), to: today }
    case 'thisMonth':
      return { from: at(year, month, 1), to: today }
    case 'lastMonth':
      return { from: at(year, month - 1, 1), to: at(year, month, 0) }
  }
}

/** The preset that a pair of days is at this instant; undefined when it is none. */
export function presetOfDays(from: string | null, to: string | null, now: Date): DatePreset | undefined {
  return DATE_PRESETS.find((preset) => {
    const days = daysOfPreset(preset, now)
    return days.from === from && days.to === to
  })
}
