// A crontab pattern in UTC whose days are all `*`: minute and hour are `*`, a number, a step (`*/5`), or several of these with commas.
export type Schedule = { minutes: ReadonlySet<number>; hours: ReadonlySet<number> }

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** Reads a crontab pattern. Throws an Error for one that this service does not support. */
export function parseSchedule(pattern: string): Schedule {
  const [minute = '', hour = '', ...days] = pattern.split(' ')
  if (days.join(' ') !== '* * *') throw new Error(`The schedule "${pattern}" must end with "* * *"`)
  return { minutes: parseField(minute, 60, pattern), hours: parseField(hour, 24, pattern) }
}

/** The first minute after this instant that the schedule names. */
export function nextRunAt({ minutes, hours }: Schedule, after: Date): Date {
  const firstMs = (Math.floor(after.getTime() / MINUTE_MS) + 1) * MINUTE_MS
  for (let passed = 0; passed < DAY_MINUTES; passed++) {
    const at = new Date(firstMs + passed * MINUTE_MS)
    if (minutes.has(at.getUTCMinutes()) && hours.has(at.getUTCHours())) return at
  }
  throw new Error('A schedule names no minute of the day')
}

function parseField(field: string, size: number, pattern: string): Set<number> {
  const values = field.split(',').flatMap((part) => {
    const step = part === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(part)?.[1] ?? 0)
    if (step > 0) return Array.from({ length: Math.ceil(size / step) }, (_, index) => index * step)
    return [/^\d+$/.test(part) ? Number(part) : Number.NaN]
  })
  if (!values.every((value) => value < size)) throw new Error(`The schedule "${pattern}" has a field that is not supported: ${field}`)
  return new Set(values)
}
