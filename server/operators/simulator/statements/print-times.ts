const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** An instant on the clock of a wallet, in the forms that operators print. None of them names the zone. */
export type LocalTime = {
  /** 2026-11-20 */
  date: string
  /** 20/11/2026 */
  dayFirst: string
  /** 20-Nov-2026 */
  named: string
  /** 14:03:22 */
  clock: string
  /** 02:03:22 PM; 12:00:00 AM is midnight. */
  twelveHours: string
}

/** Returns the forms of an instant on a clock that is this far ahead of UTC. */
export function localTimeOf(atMs: number, offsetMs: number): LocalTime {
  const [date = '', rest = ''] = new Date(atMs + offsetMs).toISOString().split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  const clock = rest.slice(0, 8)
  const hour = Number(clock.slice(0, 2))
  const shown = String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0')
  return {
    date,
    dayFirst: `${day}/${month}/${year}`,
    named: `${day}-${MONTHS[Number(month) - 1] ?? ''}-${year}`,
    clock,
    twelveHours: `${shown}${clock.slice(2)} ${hour < 12 ? 'AM' : 'PM'}`,
  }
}
