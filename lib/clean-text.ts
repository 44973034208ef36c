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
