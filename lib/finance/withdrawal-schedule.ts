import type { Translate } from '#lib/i18n/translate.ts'
import { clockIn, dayIn } from '#lib/time/format-time.ts'
import { addDays, DAY_MS } from '#lib/time/time.ts'

export const SCHEDULE_PERIODS = ['day', 'week', 'month'] as const
/** When a schedule is due, on the clock of a zone. `weekday`: 1 is Monday; `monthDay`: 1 to 28, which every month has; `minute` after midnight. */
export type ScheduleTime = { minute: number } & (
  | { every: 'day'; weekday: null; monthDay: null }
  | { every: 'week'; weekday: number; monthDay: null }
  | { every: 'month'; weekday: null; monthDay: number }
)

/** No month is longer, so one of these days fits. */
const DAYS_BACK_MAX = 31

/** The last instant up to `now` at which a schedule was due in a zone. In an hour that the zone skips it is due when that hour would have begun. */
export function lastDueAt(schedule: ScheduleTime, zone: string, now: Date): Date {
  const today = dayIn(zone, now)
  for (let back = 0; back <= DAYS_BACK_MAX; back++) {
    const day = addDays(today, -back)
    if (!fits(schedule, day)) continue
    const due = instantIn(zone, day, schedule.minute)
    if (due.getTime() <= now.getTime()) return due
  }
  throw new Error(`A schedule is due within ${DAYS_BACK_MAX} days`)
}

/** The next instant after `now`. */
export function nextDueAt(schedule: ScheduleTime, zone: string, now: Date): Date {
  const last = lastDueAt(schedule, zone, now)
  for (let days = 1; ; days++) {
    const due = lastDueAt(schedule, zone, new Date(now.getTime() + days * DAY_MS))
    if (due.getTime() > last.getTime()) return due
  }
}

function fits({ every, weekday, monthDay }: ScheduleTime, day: string): boolean {
  if (every === 'week') return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7 === weekday - 1
  return every === 'day' || Number(day.slice(8)) === monthDay
}

/** The instant at which the clock of a zone shows a minute of a day. */
export function instantIn(zone: string, day: string, minute: number): Date {
  const wantedMs = Date.parse(`${day}T00:00:00Z`) + minute * 60_000
  const shownMs = (at: number) => Date.parse(`${clockIn(zone, new Date(at)).replace(' ', 'T')}Z`)
  const guessMs = wantedMs - (shownMs(wantedMs) - wantedMs)
  // The offset at the guess may differ from the one at the wanted time by a change of the clocks.
  return new Date(guessMs - (shownMs(guessMs) - wantedMs))
}

/** A schedule in words: `every Monday at 08:00`. `day`: the weekday, 1 is Monday, or the day of the month. */
export function scheduleText(t: Translate, { every, day, minute }: { every: string; day: number; minute: number }): string {
  const time = minuteText(minute)
  if (every === 'week') return t('treasury.at.week', { weekday: weekdays(t)[day - 1] ?? '', time })
  return every === 'month' ? t('treasury.at.month', { day, time }) : t('treasury.at.day', { time })
}

/** Monday to Sunday. */
export function weekdays(t: Translate): string[] {
  return t('treasury.weekdays').split(' ')
}

/** A minute of a day as `08:30`, which is also how a field of a form has it. */
export function minuteText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}
