import type { Availability } from '#lib/availability.ts'
import type { Disturbance } from '#lib/operator-outcomes.ts'

export type Change = { state: Availability; since: Date }
export type Stretch = { state: Availability; from: Date; until: Date }

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS

/** The stretches that are worth a line: what was not OPERATIONAL. One that reaches to now has no end. */
export function disturbancesOf(stretches: readonly Stretch[], now: Date): Disturbance[] {
  return stretches.flatMap(({ state, from, until }): Disturbance[] =>
    state === 'OPERATIONAL' || until <= from
      ? []
      : [{ state, from: from.toISOString(), until: until.getTime() === now.getTime() ? null : until.toISOString() }],
  )
}

/**
 * The minutes of each slot (an hour or a day) and state, as `<slot> <state>`. Cut at quarters of an hour, at which the days of every time zone
 * begin, and rounded once at the end.
 */
export function minutesIn(stretches: readonly Stretch[], slotOf: (at: Date) => string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { state, from, until } of stretches) {
    if (state === 'OPERATIONAL') continue
    for (let at = from.getTime(); at < until.getTime(); ) {
      const end = Math.min(until.getTime(), (Math.floor(at / QUARTER_MS) + 1) * QUARTER_MS)
      const key = `${slotOf(new Date(at))} ${state}`
      sums.set(key, (sums.get(key) ?? 0) + end - at)
      at = end
    }
  }
  return new Map([...sums].map(([key, ms]) => [key, Math.max(1, Math.round(ms / MINUTE_MS))]))
}
