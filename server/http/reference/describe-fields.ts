import type { ReferenceField } from '#lib/reference.ts'
import { type DocumentView, resolve, type SchemaView } from './openapi-view.ts'

/** The fields of an object, or of the elements of an array. Objects inside are listed by their path: `content[].id`. */
export function describeFields(document: DocumentView, schema: SchemaView, prefix = ''): ReferenceField[] {
  const object = resolve(document, schema)
  if (object.oneOf?.[0]) return describeFields(document, object.oneOf[0], prefix)
  if (object.type === 'array' && object.items) return describeFields(document, object.items, prefix)
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) => {
    const resolved = resolve(document, property)
    const field = describeField(prefix + name, { ...resolved, ...property }, object.required?.includes(name) ?? false)
    return resolved.type === 'array' ? [field, ...describeFields(document, resolved, `${prefix}${name}[].`)] : [field]
  })
}

export function describeField(name: string, schema: SchemaView, isRequired: boolean, example?: string | number): ReferenceField {
  return {
    name,
    type: typeOf(schema),
    isRequired,
    description: schema.description ?? '',
    rules: rulesOf(schema),
    values: schema.enum ?? (typeof schema.const === 'string' ? [schema.const] : []),
    ...(example === undefined ? {} : { example: String(example) }),
  }
}

const FORMATS: Record<string, string> = { uuid: 'UUID', uri: 'URL', date: 'date', 'date-time': 'date and time' }

function typeOf({ type, format }: SchemaView): string {
  return (format && FORMATS[format]) ?? type ?? 'string'
}

/** The rules that a type does not say, in words. */
function rulesOf(schema: SchemaView): string[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, pattern } = schema
  const rules: string[] = []
  if (minLength !== undefined && maxLength !== undefined) rules.push(`${minLength} to ${write(maxLength)} characters`)
  else if (maxLength !== undefined) rules.push(`at most ${write(maxLength)} characters`)
  if (exclusiveMinimum !== undefined) rules.push(`greater than ${exclusiveMinimum}`)
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) rules.push(`at least ${write(minimum)}`)
  // zod writes the largest safe integer for every integer.
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) rules.push(`at most ${write(maximum)}`)
  if (pattern === '^\\d{10,15}$') rules.push('10 to 15 digits')
  return rules
}

function write(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 2 })
}

/** How many objects a body holds, if it is an array. */
export function describeArray({ type, minItems, maxItems }: SchemaView): string | undefined {
  if (type !== 'array' || minItems === undefined || maxItems === undefined) return undefined
  return `An array of ${minItems} to ${write(maxItems)} objects with these fields:`
}
