import { z } from 'zod'
import type { SettingField } from '#lib/operators/operator-settings.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'

/** How one operator is reached through one protocol. The document is what the schema of the protocol describes, and holds secrets. */
export const operatorSettingsSchema = z.object({
  operator: z.enum(OPERATOR_CODES),
  protocol: z.string(),
  document: z.record(z.string(), z.unknown()),
})
export type OperatorSettings = z.infer<typeof operatorSettingsSchema>
export type SettingsDocument = OperatorSettings['document']

/** Returns the document without its secrets, and the paths of the secrets that are set. */
export function withoutSecrets(
  document: SettingsDocument,
  secretFields: ReadonlySet<string>,
): { shown: SettingsDocument; secretsSet: string[] } {
  const secretsSet: string[] = []
  const strip = (value: SettingsDocument, path: string): SettingsDocument =>
    Object.fromEntries(
      Object.entries(value).flatMap(([name, entry]): [string, unknown][] => {
        if (secretFields.has(name)) {
          secretsSet.push(path + name)
          return []
        }
        return [[name, isDocument(entry) ? strip(entry, `${path}${name}.`) : entry]]
      }),
    )
  return { shown: strip(document, ''), secretsSet }
}

/**
 * Returns the document with these changes: a field that is null is removed, one that is left out stays, at any depth. A group that is left
 * empty is removed.
 */
export function mergeDocuments(document: SettingsDocument, changes: SettingsDocument): SettingsDocument {
  const merged = { ...document }
  for (const [name, change] of Object.entries(changes)) {
    const present = merged[name]
    if (change === null) delete merged[name]
    else if (isDocument(change)) {
      const group = mergeDocuments(isDocument(present) ? present : {}, change)
      if (Object.keys(group).length > 0) merged[name] = group
      else delete merged[name]
    } else merged[name] = change
  }
  return merged
}

/** The paths of the secrets that one document has and the other has not, or has with another value. */
export function changedSecrets(
  before: SettingsDocument | undefined,
  after: SettingsDocument | undefined,
  secretFields: ReadonlySet<string>,
): string[] {
  const paths = [before, after].flatMap((document) => (document ? withoutSecrets(document, secretFields).secretsSet : []))
  return [...new Set(paths)].filter((path) => valueAt(before, path) !== valueAt(after, path)).toSorted()
}

/** The value at a path with dots. */
export function valueAt(document: SettingsDocument | undefined, path: string): unknown {
  let value: unknown = document
  for (const name of path.split('.')) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return value
}

/** Every value of a document with its path, as people read it. */
export function fieldsIn(document: SettingsDocument, prefix = ''): [path: string, value: string | number | boolean | string[]][] {
  return Object.entries(document).flatMap(([name, value]): [string, string | number | boolean | string[]][] => {
    if (isDocument(value)) return fieldsIn(value, `${prefix}${name}.`)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[prefix + name, value]]
    return Array.isArray(value) ? [[prefix + name, value.map(String)]] : []
  })
}

function isDocument(value: unknown): value is SettingsDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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
