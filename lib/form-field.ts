import { isCleanText } from './clean-text.ts'

/**
 * Returns a text field of a server action's form. Anybody can call an action with any value: what is not a form has no fields, a file is
 * not text, and text that no database can hold is none: null.
 */
export function formField(form: unknown, name: string): string | null {
  const value = form instanceof FormData ? form.get(name) : null
  return typeof value === 'string' && isCleanText(value) ? value : null
}
