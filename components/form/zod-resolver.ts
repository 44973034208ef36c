import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import type { z } from 'zod'

/** Checks a form of react-hook-form with a schema. The values stay as they were typed; each field shows its first problem. */
export function zodResolver<Values extends FieldValues>(schema: z.ZodType): Resolver<Values> {
  return (values) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return { values, errors: {} }
    const errors: Record<string, { type: string; message: string }> = {}
    for (const { path, code = 'custom', message } of parsed.error.issues) errors[path.join('.')] ??= { type: code, message }
    // The fields of a form without groups are its own keys.
    return { values: {}, errors: errors as FieldErrors<Values> }
  }
}
