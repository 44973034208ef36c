import { z } from 'zod'
import { OPERATOR_CODES } from '#lib/operators.ts'

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
