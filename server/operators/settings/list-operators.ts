import type { ProtocolSettings, SettingValue } from '#lib/operators/operator-settings.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { type SettingsDocument, valueAt, withoutSecrets } from './operator-settings.ts'
import { readAllSettings, readSettings } from './operator-settings-store.ts'
import type { SettingsKind } from './protocol.ts'
import { findSettingsKind, SETTINGS_KINDS } from './protocols.ts'

type OperatorListing = { operator: string; protocol: string; version: string; settings: string; secrets: string }

/** The settings in the database, without secrets: of those, only the names of the ones that are set. */
export async function listOperators(pool: Pool): Promise<OperatorListing[]> {
  const unreadable: OperatorListing[] = []
  const stored = await readAllSettings(pool, (error) =>
    unreadable.push({
      operator: '?',
      protocol: '?',
      version: '',
      settings: error instanceof Error ? error.message : String(error),
      secrets: '',
    }),
  )
  const listed = stored.map(({ operator, protocol, document, version }) => {
    const known = findSettingsKind(protocol)
    // Without its protocol nothing is known about which fields are secret.
    const { shown, secretsSet } = known ? withoutSecrets(document, known.secretFields) : { shown: {}, secretsSet: [] }
    return { operator, protocol, version: String(version), settings: JSON.stringify(shown), secrets: secretsSet.join(' ') }
  })
  return [...listed, ...unreadable]
}

/** Every kind of settings that an operator may have, with its fields and what is stored; of secrets only which ones are set. */
export async function listProtocolSettings(queryable: Queryable, operator: OperatorCode): Promise<ProtocolSettings[]> {
  const listed: ProtocolSettings[] = []
  for (const protocol of SETTINGS_KINDS.filter(({ operators }) => operators.includes(operator))) {
    const stored = await readSettings(queryable, operator, protocol.name)
    listed.push({
      operator,
      protocol: protocol.name,
      fields: protocol.fields,
      stored: stored
        ? {
            version: Number(stored.version),
            changedAt: stored.changedAt.toISOString(),
            returnUntil: stored.returnUntil?.toISOString() ?? null,
            ...shownOf(protocol, stored.document),
          }
        : null,
    })
  }
  return listed
}

function shownOf(protocol: SettingsKind, document: SettingsDocument): { values: Record<string, SettingValue>; secretsSet: string[] } {
  const { shown, secretsSet } = withoutSecrets(document, protocol.secretFields)
  const values: Record<string, SettingValue> = {}
  for (const { path } of protocol.fields) {
    const value = toValue(valueAt(shown, path))
    if (value !== undefined) values[path] = value
  }
  return { values, secretsSet }
}

function toValue(value: unknown): SettingValue | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, String(entry)]))
}
