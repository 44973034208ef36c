/** True for a text that PostgreSQL can store and UTF-8 can carry: no NUL, and no half of a surrogate pair. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Deeper than any valid input; deeper values are refused without a check. */
const DEPTH_MAX = 12

/** True if every text in an action's input is clean, names of fields included: strings, lists, objects and forms. */
export function isCleanInput(input: unknown, depth = 0): boolean {
  if (typeof input === 'string') return isCleanText(input)
  if (typeof input !== 'object' || input === null) return true
  if (depth > DEPTH_MAX) return false
  const entries: Iterable<[unknown, unknown]> =
    input instanceof FormData || input instanceof Map ? input.entries() : Array.isArray(input) ? input.entries() : Object.entries(input)
  for (const [name, value] of entries) if (!isCleanInput(name, depth + 1) || !isCleanInput(value, depth + 1)) return false
  return true
}

const WORDS_MAX = 8
const WORD_LENGTH_MAX = 40

/** Returns a text as it is compared when people search: lower case, without accents, one space between words. */
export function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Returns the distinct words of a folded text that are searched: at most eight, each cut to 40 characters. */
export function foldedWords(text: string): string[] {
  const words = foldText(text).split(' ').filter(Boolean)
  return [...new Set(words.map((word) => [...word].slice(0, WORD_LENGTH_MAX).join('')))].slice(0, WORDS_MAX)
}

/**
 * Returns a text field of a server action's form. Anybody can call an action with any value: what is not a form has no fields, a file is
 * not text, and text that no database can hold is none: null.
 */
export function formField(form: unknown, name: string): string | null {
  const value = form instanceof FormData ? form.get(name) : null
  return typeof value === 'string' && isCleanText(value) ? value : null
}
