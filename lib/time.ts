/** Gives the present instant. Rules that depend on time take one, so that tests can move it. */
export type Clock = { now(): Date }

/** A UTC calendar day, YYYY-MM-DD, from FIRST_DAY to LAST_DAY. */
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
