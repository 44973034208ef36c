import type { ProtocolSettings, SettingValue } from '#lib/operator-settings.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type SettingsDocument, valueAt, withoutSecrets } from './operator-settings.ts'
import { readSettings } from './operator-settings-store.ts'
import type { Protocol } from './protocol.ts'
import { PROTOCOLS } from './protocols.ts'

/** Every protocol that an operator may use, with its fields and what is stored; of secrets only which ones are set. */
export async function listProtocolSettings(queryable: Queryable, operator: OperatorCode): Promise<ProtocolSettings[]> {
  const listed: ProtocolSettings[] = []
  for (const protocol of PROTOCOLS.filter(({ operators }) => operators.includes(operator))) {
    const stored = await readSettings(queryable, operator, protocol.name)
    listed.push({
      operator,
      protocol: protocol.name,
      fields: protocol.fields,
      stored: stored
        ? { version: Number(stored.version), changedAt: stored.changedAt.toISOString(), ...shownOf(protocol, stored.document) }
        : null,
    })
  }
  return listed
}

function shownOf(protocol: Protocol, document: SettingsDocument): { values: Record<string, SettingValue>; secretsSet: string[] } {
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
