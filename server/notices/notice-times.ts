import { z } from 'zod'
import { dayIn, instantIn, localIn } from '#lib/time/format-time.ts'
import { DAY_MS } from '#lib/time/time.ts'

const hour = z.number().int().min(0).max(23)

/**
 * When a person wants to be told, in full hours of their time zone. From `quietFrom` until `quietUntil`, over midnight if it is the later one, nothing is
 * sent; null, both of them: at any time.
 */
export const noticeTimesSchema = z
  .object({ digestHour: hour, quietFrom: hour.nullable(), quietUntil: hour.nullable() })
  .refine(({ quietFrom, quietUntil }) => (quietFrom === null) === (quietUntil === null), { path: ['quietUntil'] })
  .refine(({ quietFrom, quietUntil }) => quietFrom === null || quietFrom !== quietUntil, { path: ['quietUntil'] })
export type NoticeTimes = z.infer<typeof noticeTimesSchema>

export const DEFAULT_TIMES: NoticeTimes = { digestHour: 6, quietFrom: null, quietUntil: null }

/** The first instant after `after` at which the clocks of the zone show this hour; where they leave it out that day, the end of the gap. */
export function nextHourIn(timeZone: string, hourOfDay: number, after: Date): Date {
  for (let days = 0; days < 3; days++) {
    const day = dayIn(timeZone, new Date(after.getTime() + days * DAY_MS))
    const at = firstInstantIn(timeZone, day, hourOfDay)
    if (at && at > after) return at
  }
  throw new Error(`No day of ${timeZone} has the hour ${hourOfDay}`)
}

function firstInstantIn(timeZone: string, day: string, hourOfDay: number): Date | undefined {
  for (let each = hourOfDay; each < 24; each++) {
    const at = instantIn(timeZone, `${day}T${String(each).padStart(2, '0')}:00`)
    if (at) return at
  }
  return undefined
}

/** The end of the quiet hours that it is now, or undefined if it is none of them. */
export function quietEndOf({ quietFrom, quietUntil }: NoticeTimes, timeZone: string, now: Date): Date | undefined {
  if (quietFrom === null || quietUntil === null) return undefined
  const present = Number(localIn(timeZone, now).slice(11, 13))
  const isQuiet = quietFrom < quietUntil ? present >= quietFrom && present < quietUntil : present >= quietFrom || present < quietUntil
  return isQuiet ? nextHourIn(timeZone, quietUntil, now) : undefined
}
