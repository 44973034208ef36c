import { isCleanText } from './clean-text.ts'

/**
 * A text field of what a server action was given. Anybody can call an action with anything, so what is not a form has no fields, a file is
 * not text, and text that no database can hold is none: null.
 */
export function formField(form: unknown, name: string): string | null {
  const value = form instanceof FormData ? form.get(name) : null
  return typeof value === 'string' && isCleanText(value) ? value : null
}
