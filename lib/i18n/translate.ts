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
 * Gives the function that turns a key into words. A message may hold `{name}` and
 * `{count, plural, =0 {none} one {# row} other {# rows}}`; branches hold text, `#` and nothing nested. A key without a message comes
 * back as the key, so that a gap is seen and never breaks a page. About 1 KB in the browser, where a full ICU parser costs 11.
 */
export function createTranslate(locale: Locale, messages: Messages): Translate {
  const plurals = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (key, values = {}) => {
    const message = messages[key]
    if (message === undefined) return key
    return message.replace(TOKEN, (token, name: string, branches: string | undefined) => {
      const value = values[name]
      if (value === undefined) return token
      if (branches === undefined) return typeof value === 'number' ? numbers.format(value) : value
      return choose(branches, Number(value), plurals).replaceAll('#', numbers.format(Number(value)))
    })
  }
}

function choose(branches: string, count: number, plurals: Intl.PluralRules): string {
  const texts = new Map(Array.from(branches.matchAll(BRANCH), (match) => [match[1], match[2] ?? '']))
  return texts.get(`=${count}`) ?? texts.get(plurals.select(count)) ?? texts.get('other') ?? ''
}

/** The messages whose keys start with one of the prefixes (`approvals.`): what a page hands to its client components. */
export function pickMessages(messages: Messages, prefixes: readonly string[]): Messages {
  return Object.fromEntries(Object.entries(messages).filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix))))
}

/** What a key looks like: words with dots between them. */
export const MESSAGE_KEY_PATTERN = /^[a-zA-Z]+(\.[a-zA-Z_]+)+$/
