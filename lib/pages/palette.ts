import { foldedWords } from '#lib/text/clean-text.ts'
import { monthEnd, type UtcDay } from '#lib/time/time.ts'

/** A page that somebody may open. `key`: the letter after G that opens it too. */
export type PageLink = { label: string; href: string; key?: string }

/** A calendar month of the application: its days, both included, and its name, `October 2026`. */
export type NamedMonth = { from: UtcDay; to: UtcDay; name: string }

const MONTHS_COUNT = 12

/** Returns whether every typed word is the start of a word of one of the labels. Case and accents do not count; no text matches everything. */
export function matchesTyped(typed: string, ...labels: readonly string[]): boolean {
  const words = labels.flatMap(foldedWords)
  return foldedWords(typed).every((start) => words.some((word) => word.startsWith(start)))
}

/** Returns this month and the eleven before it, the latest first, with their names in a language. `today` is a day of the application. */
export function latestMonths(today: UtcDay, locale: string): NamedMonth[] {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return Array.from({ length: MONTHS_COUNT }, (_, back) => {
    const first = new Date(`${today.slice(0, 7)}-01T00:00:00Z`)
    first.setUTCMonth(first.getUTCMonth() - back)
    const month = first.toISOString().slice(0, 7)
    return { from: `${month}-01`, to: monthEnd(month), name: format.format(first) }
  })
}
