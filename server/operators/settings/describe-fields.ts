import { z } from 'zod'
import type { SettingField } from '#lib/operator-settings.ts'

/** The parts of a JSON schema that our settings use. */
type JsonSchema = z.core.JSONSchema.JSONSchema

/** Lists the fields of a settings document, those of a group with the name of the group and a dot before theirs. */
export function describeFields(schema: z.ZodType, secretFields: ReadonlySet<string>): SettingField[] {
  return fieldsOf(z.toJSONSchema(schema, { io: 'input' }), '', true, secretFields)
}

function fieldsOf(schema: JsonSchema, prefix: string, isGroupRequired: boolean, secretFields: ReadonlySet<string>): SettingField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]): SettingField[] => {
    if (typeof field === 'boolean') return []
    const isRequired = isGroupRequired && (schema.required ?? []).includes(name)
    const path = `${prefix}${name}`
    if (field.properties) return fieldsOf(field, `${path}.`, isRequired, secretFields)
    return [
      {
        path,
        kind: secretFields.has(name) ? 'secret' : kindOf(field),
        choices: choicesOf(field),
        isRequired,
        minimum: field.minimum ?? null,
        maximum: field.maximum ?? null,
      },
    ]
  })
}

function kindOf(field: JsonSchema): SettingField['kind'] {
  const { type, enum: values, const: only } = field
  if (type === 'boolean') return 'yes_no'
  if (type === 'integer') return 'whole'
  if (type === 'number') return 'number'
  if (type === 'array') return choicesOf(field).length > 0 ? 'choices' : 'list'
  if (type === 'object') return 'codes'
  return values || only !== undefined ? 'choice' : 'text'
}

/** Those of the field itself, of the entries of a list, or of the values of a table of codes. */
function choicesOf({ enum: values, const: only, items, additionalProperties }: JsonSchema): string[] {
  if (values) return values.map(String)
  if (only !== undefined) return [String(only)]
  const inner = Array.isArray(items) ? undefined : (items ?? additionalProperties)
  return typeof inner === 'object' ? choicesOf(inner) : []
}
