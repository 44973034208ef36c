/** How sure the order of day and month is: printed without a doubt, proved by a number above 12, or only the usual one. */
type DateOrder = 'certain' | 'day_first' | 'month_first' | 'usual'

/** A time as a statement prints it. `wallMs`: the clock and calendar, as if they were UTC. `offsetMinutes`: null if no zone is printed. */
export type PrintedTime = { wallMs: number; offsetMinutes: number | null; order: DateOrder }

const CLOCK = String.raw`(\d{1,2})[:hH](\d{2})(?:[:mM](\d{2})(?:[.,]\d{1,9})?)?s?\s*(am|pm|a\.m\.?|p\.m\.?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2})?`
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:(?:t|,?\s*(?:at|à)?\s+)${CLOCK})?$`, 'i')
const YEAR_LAST = new RegExp(
  String.raw`^(\d{1,2})[-/. ](\d{1,2}|[a-zûéô]{3,9}\.?)[-/. ,]+(\d{4}|\d{2})(?:,?\s*(?:at|à)?\s+${CLOCK})?$`,
  'i',
)
const MONTH_FIRST = new RegExp(String.raw`^([a-zûéô]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})(?:,?\s*(?:at|à)?\s+${CLOCK})?$`, 'i')
const DIGITS = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/

/** The beginnings of month names in English and French. */
const MONTHS: readonly RegExp[] = [
  /^jan/,
  /^(feb|f[eé]v)/,
  /^mar/,
  /^(apr|avr)/,
  /^(may|mai)/,
  /^(jun|juin)/,
  /^(jul|juil)/,
  /^(aug|ao[uû])/,
  /^sep/,
  /^oct/,
  /^nov/,
  /^d[eé]c/,
]

/** Reads a date with a time. `5/1/2026` is the fifth of January unless the file has shown that it writes months first. Undefined if it is no time. */
export function readTime(printed: string, isMonthFirst = false): PrintedTime | undefined {
  const text = printed.replace(/[\s\u00a0\u202f]+/g, ' ').trim()
  const digits = DIGITS.exec(text)
  if (digits) {
    const [, year, month, day, hour = '', minute = '', second = ''] = digits
    return toTime([year, month, day], [hour, minute, second], 'certain')
  }
  const first = YEAR_FIRST.exec(text)
  if (first) return toTime([first[1], first[2], first[3]], first.slice(4), 'certain')
  const named = MONTH_FIRST.exec(text)
  if (named) return toTime([named[3], monthOf(named[1]), named[2]], named.slice(4), 'certain')
  const last = YEAR_LAST.exec(text)
  if (!last) return undefined
  const [, left = '', right = '', year = ''] = last
  const fullYear = year.length === 2 ? `20${year}` : year
  if (!/^\d/.test(right)) return toTime([fullYear, monthOf(right), left], last.slice(4), 'certain')
  const order = Number(right) > 12 ? 'month_first' : Number(left) > 12 ? 'day_first' : 'usual'
  const takesMonthFirst = order === 'month_first' || (order === 'usual' && isMonthFirst)
  return toTime(takesMonthFirst ? [fullYear, left, right] : [fullYear, right, left], last.slice(4), order)
}

function monthOf(name = ''): string {
  return String(MONTHS.findIndex((month) => month.test(name.toLowerCase())) + 1)
}

type Parts = readonly (string | undefined)[]

function toTime([year, month, day]: Parts, [hour = '0', minute = '0', second = '0', half, zone]: Parts, order: DateOrder) {
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  const clock = hourOf(Number(hour), half?.toLowerCase())
  const wallMs = Date.UTC(y, m - 1, d, clock, Number(minute), Number(second))
  const at = new Date(wallMs)
  const exists = m >= 1 && y >= 2000 && at.getUTCMonth() === m - 1 && at.getUTCDate() === d && clock < 24 && Number(minute) < 60
  return exists ? { wallMs, offsetMinutes: zone === undefined ? null : offsetOf(zone), order } : undefined
}

/** 12 AM is midnight and 12 PM noon. Some exports write `14:11 PM`. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined || hour > 12) return hour
  return (hour % 12) + (half.startsWith('p') ? 12 : 0)
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

const HOUR_MS = 3_600_000

/** The clocks of one zone. Offsets are computed once per hour of the file, because asking for one takes microseconds. */
export function createZoneClock(zone: string): { instantOf(time: PrintedTime): number; wallOf(instantMs: number): number } {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
  const offsets = new Map<number, number>()
  function offsetAt(instantMs: number): number {
    const hour = Math.floor(instantMs / HOUR_MS)
    let offset = offsets.get(hour)
    if (offset === undefined) {
      const name = format.formatToParts(hour * HOUR_MS).find(({ type }) => type === 'timeZoneName')?.value ?? ''
      offset = offsetOf(name.replace('GMT', '')) * 60_000
      offsets.set(hour, offset)
    }
    return offset
  }
  return {
    instantOf({ wallMs, offsetMinutes }) {
      if (offsetMinutes !== null) return wallMs - offsetMinutes * 60_000
      return wallMs - offsetAt(wallMs - offsetAt(wallMs))
    },
    wallOf: (instantMs) => instantMs + offsetAt(instantMs),
  }
}
