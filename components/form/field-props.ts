import type { FieldErrors, FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { MESSAGE_KEY_PATTERN } from '#lib/i18n/translate.ts'

/**
 * Returns what a field component needs from react-hook-form: its registration and its error message. The texts of a schema are keys of
 * lib/i18n (`z.string().min(1, 'form.field.required')`); any other text becomes "Required".
 */
export function fieldProps<Values extends FieldValues>(form: UseFormReturn<Values>, name: FieldPath<Values>, t: Translate) {
  return { ...form.register(name), ...fieldLabels(form, name, t) }
}

/** The same without the registration, for a field of `useController`. */
export function fieldLabels<Values extends FieldValues>(form: UseFormReturn<Values>, name: FieldPath<Values>, t: Translate) {
  const message = errorText(form.formState.errors, name)
  return {
    id: `field-${name.replaceAll('.', '-')}`,
    error: message === undefined ? undefined : t(isKey(message) ? message : 'form.field.required'),
  }
}

function errorText(errors: FieldErrors, name: string): string | undefined {
  let found: unknown = errors
  for (const part of name.split('.'))
    found = typeof found === 'object' && found !== null && part in found ? (found as Record<string, unknown>)[part] : undefined
  return typeof found === 'object' && found !== null && 'message' in found ? String(found.message ?? '') : undefined
}

function isKey(message: string): message is MessageKey {
  return MESSAGE_KEY_PATTERN.test(message)
}
