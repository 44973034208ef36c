import type en from './en.json'
import type { Locale } from './locale.ts'

/** Every key that both languages must have; the English file is the list. */
export type MessageKey = keyof typeof en
export type Messages = { readonly [key in MessageKey]?: string }
type MessageValues = Readonly<Record<string, string | number>>
export type Translate = (key: MessageKey, values?: MessageValues) => string

const TOKEN = /\{(\w+)(?:, plural, ((?:[^{}]|\{[^{}]*\})*))?\}/g
const BRANCH = /(=\d+|\w+) \{([^{}]*)\}/g

/**
 * Returns the function that turns a key into a text. A message may contain `{name}` and
 * `{count, plural, =0 {none} one {# row} other {# rows}}`; branches contain text and `#`. A key without a message is
 * returned as it is, so that a gap is visible and does not break the page. About 1 KB in the browser; a full ICU parser costs 11.
 */
export function createTranslate(locale: Locale, messages: Messages): Translate {
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  // As in formatAmount: the narrow space of French groups is hardly visible in small text.
  const write = (value: number) => numbers.format(value).replaceAll('\u202f', '\u00a0')
  return (key, values = {}) => {
    const message = messages[key]
    if (message === undefined) return key
    return message.replace(TOKEN, (token, name: string, branches: string | undefined) => {
      const value = values[name]
      if (value === undefined) return token
      if (branches === undefined) return typeof value === 'number' ? write(value) : value
      return choose(branches, Number(value), plurals).replaceAll('#', write(Number(value)))
    })
  }
}

function choose(branches: string, count: number, plurals: Intl.PluralRules): string {
  const texts = new Map(Array.from(branches.matchAll(BRANCH), (match) => [match[1], match[2] ?? '']))
  return texts.get(`=${count}`) ?? texts.get(plurals.select(count)) ?? texts.get('other') ?? ''
}

/** Returns the messages whose keys start with one of the prefixes (`approvals.`), for the client components of a page. */
export function pickMessages(messages: Messages, prefixes: readonly string[]): Messages {
  return Object.fromEntries(Object.entries(messages).filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix))))
}

/** The form of a key: words separated by dots. */
export const MESSAGE_KEY_PATTERN = /^[a-zA-Z]+(\.[a-zA-Z_]+)+$/
