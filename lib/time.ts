/** Gives the present instant. Rules that depend on time take one, so that tests can move it (DESIGN 4). */
export type Clock = { now(): Date }

/** A UTC calendar day, YYYY-MM-DD. */
export type UtcDay = string

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** True for an existing calendar day written YYYY-MM-DD. */
export function isUtcDay(text: string): text is UtcDay {
  if (!DAY.test(text)) return false
  const instant = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)
}

/** The UTC day in which an instant lies. */
export function utcDayOf(instant: Date): UtcDay {
  return instant.toISOString().slice(0, 10)
}
