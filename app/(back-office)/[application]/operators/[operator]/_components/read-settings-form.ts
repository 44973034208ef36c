import type { ProtocolSettings, SettingField, SettingValue } from '#lib/operator-settings.ts'
import { isTable } from '../../_components/setting-words.ts'
import type { ProposedSettings } from '../../actions.ts'

/** Before the name of a secret: its box is ticked to remove it. */
export const REMOVE_PREFIX = 'remove '

type Changes = NonNullable<ProposedSettings['changes']>
type Value = Changes[string]

/** The fields whose content is not what is stored, in groups as the protocol has them: null for one that was emptied. */
export function readSettingsForm(form: FormData, { fields, stored }: ProtocolSettings): Changes {
  const changes: Changes = {}
  for (const field of fields) {
    const value = field.kind === 'secret' ? readSecret(form, field) : readValue(form, field, stored?.values[field.path])
    if (value !== undefined) put(changes, field.path.split('.'), value)
  }
  return changes
}

function readSecret(form: FormData, { path }: SettingField): Value | undefined {
  const text = String(form.get(path) ?? '')
  if (text !== '') return text
  return form.get(REMOVE_PREFIX + path) === 'on' ? null : undefined
}

function readValue(form: FormData, field: SettingField, stored: SettingValue | undefined): Value | undefined {
  const value = contentOf(form, field)
  if (value === null) return stored === undefined ? undefined : null
  if (field.kind === 'codes') return withoutOthers(value, stored)
  return JSON.stringify(value) === JSON.stringify(stored) ? undefined : value
}

/** Null if the field is empty. What cannot be read stays text, and the server says so. */
function contentOf(form: FormData, { path, kind, choices }: SettingField): Exclude<Value, undefined> {
  if (kind === 'choices') {
    const chosen = form.getAll(path).map(String)
    return chosen.length === 0 ? null : choices.filter((choice) => chosen.includes(choice))
  }
  const text = String(form.get(path) ?? '').trim()
  if (text === '') return null
  if (kind === 'yes_no') return text === 'true'
  if (kind === 'codes') return readCodes(text)
  if (kind === 'list') return text.split(/[\s,;]+/).filter((entry) => entry !== '')
  if (kind === 'text' || kind === 'choice') return text
  const number = Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : text
}

/** The table of codes, with null for each stored code that was removed from it. */
function withoutOthers(table: Value, stored: SettingValue | undefined): Value | undefined {
  if (JSON.stringify(table) === JSON.stringify(stored)) return undefined
  if (typeof table !== 'object' || table === null || Array.isArray(table) || !isTable(stored)) return table
  return { ...Object.fromEntries(Object.keys(stored).map((code) => [code, null])), ...table }
}

function readCodes(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [code = '', ...meaning] = line.split('=')
      return [code.trim(), meaning.join('=').trim()]
    }),
  )
}

function put(changes: Changes, [name = '', ...rest]: string[], value: Value): void {
  if (rest.length === 0) {
    changes[name] = value
    return
  }
  const group = changes[name]
  const inner: Changes = typeof group === 'object' && group !== null && !Array.isArray(group) ? group : {}
  put(inner, rest, value)
  changes[name] = inner
}
