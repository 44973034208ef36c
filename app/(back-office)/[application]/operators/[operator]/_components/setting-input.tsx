import type { z } from 'zod'
import { Checkbox, Select, TextArea, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { parseTypedAmount } from '#lib/money/money.ts'
import { type ProtocolSettings, SETTING_PROBLEMS, type SettingField, type SettingValue } from '#lib/operators/operator-settings.ts'
import type { operatorSettingsChangeSchema } from '#lib/schemas/proposal.ts'
import { choiceText, codeLines, isTable, settingName } from '../../_components/operator-words.ts'

type Props = {
  field: SettingField
  value: SettingValue | undefined
  /** A secret that is stored. */
  isStored: boolean
  problem: string | undefined
}

/** The control of one field, by its kind. */
export function SettingInput({ field, value, isStored, problem }: Props) {
  const t = useT()
  const { path, kind, choices, isRequired } = field
  const id = `setting-${path}`
  const common = {
    id,
    name: path,
    label: nameOf(t, path),
    error: problemText(t, problem),
    hint: hintOf(t, field),
    // A group has all of its fields or none.
    ...(isRequired || path.includes('.') ? {} : { note: t('operators.optional') }),
  }
  if (kind === 'secret') return <SecretInput {...common} isStored={isStored} isRequired={isRequired} />
  if (kind === 'choice' || kind === 'yes_no') {
    const options = kind === 'yes_no' ? ['true', 'false'] : choices
    return (
      <Select {...common} defaultValue={value === undefined ? '' : String(value)}>
        <option value="">{t(isRequired ? 'operators.choose' : 'operators.default')}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {kind === 'yes_no' ? t(option === 'true' ? 'change.yes' : 'change.no') : choiceText(t, option)}
          </option>
        ))}
      </Select>
    )
  }
  if (kind === 'choices') {
    const chosen = Array.isArray(value) ? value : []
    return (
      <fieldset className="grid gap-1" aria-describedby={`${id}-hint`}>
        <legend className="mb-1 font-medium">{common.label}</legend>
        <div className="flex flex-wrap gap-x-6 gap-y-1.5">
          {choices.map((choice) => (
            <Checkbox key={choice} name={path} value={choice} defaultChecked={chosen.includes(choice)} label={choiceText(t, choice)} />
          ))}
        </div>
        <p id={`${id}-hint`} className="text-second text-quiet">
          {common.error && <span className="block text-bad">{common.error}</span>}
          {common.hint}
        </p>
      </fieldset>
    )
  }
  if (kind === 'codes') return <CodesInput {...common} lines={isTable(value) ? codeLines(value) : []} />
  return (
    <TextField
      {...common}
      defaultValue={Array.isArray(value) ? value.join(', ') : String(value ?? '')}
      inputMode={kind === 'text' || kind === 'list' ? (path.endsWith('Url') ? 'url' : 'text') : 'decimal'}
      autoComplete="off"
      spellCheck={false}
      maxLength={2_048}
    />
  )
}

type Common = { id: string; name: string; label: string; error: string | undefined; hint: string | undefined; note?: string }

/** Never shows what is stored. An empty field keeps it. */
function SecretInput({ isStored, isRequired, ...common }: Common & { isStored: boolean; isRequired: boolean }) {
  const t = useT()
  return (
    <div className="grid gap-1.5">
      <TextField
        {...common}
        type="password"
        hint={isStored ? t('operators.secretHint') : common.hint}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={4_096}
      />
      {isStored && !isRequired && (
        <Checkbox name={REMOVE_PREFIX + common.name} label={t('operators.removeSecret', { name: common.label })} />
      )}
    </div>
  )
}

function CodesInput({ lines, ...common }: Common & { lines: readonly string[] }) {
  return <TextArea {...common} defaultValue={lines.join('\n')} rows={3} spellCheck={false} />
}

/** Without the group, which is the legend around it. */
function nameOf(t: Translate, path: string): string {
  return settingName(t, path.slice(path.lastIndexOf('.') + 1))
}

function problemText(t: Translate, problem: string | undefined): string | undefined {
  const known = SETTING_PROBLEMS.find((each) => each === problem)
  return known && t(`operators.fieldProblem.${known}`)
}

const HINTS = [
  'baseUrl',
  'callbackBaseUrl',
  'caCertificate',
  'clientCertificate',
  'clientKey',
  'httpProxy',
  'sendsCallbacks',
  'listsDays',
  'submitTimeoutMs',
  'queryTimeoutMs',
  'callsMax',
  'floatFloor',
  'collectMultipleOf',
  'depositMultipleOf',
  'submissionsPerSecondMax',
  'directions',
  'codeMeanings',
  'targetEnvironment',
  'codeLength',
  'wrongCodes',
  'believesEmptySearches',
  'qrValidityS',
  'dial',
  'enquiryDelayMs',
  'expiryGraceS',
] as const

function hintOf(t: Translate, { path, choices }: SettingField): string | undefined {
  const name = HINTS.find((each) => each === path)
  return name && t(`operators.fieldHint.${name}`, { choices: choices.join(', ') })
}

/** Before the name of a secret: its box is ticked to remove it. */
const REMOVE_PREFIX = 'remove '

type Changes = NonNullable<z.output<typeof operatorSettingsChangeSchema>['changes']>
type Value = Changes[string]

/** The fields whose content is not what is stored, in groups as the protocol has them: null for one that was emptied. */
export function readSettingsForm(form: FormData, { fields, stored }: ProtocolSettings, locale: Locale): Changes {
  const changes: Changes = {}
  for (const field of fields) {
    const value = field.kind === 'secret' ? readSecret(form, field) : readValue(form, field, stored?.values[field.path], locale)
    if (value !== undefined) put(changes, field.path.split('.'), value)
  }
  return changes
}

function readSecret(form: FormData, { path }: SettingField): Value | undefined {
  const text = String(form.get(path) ?? '')
  if (text !== '') return text
  return form.get(REMOVE_PREFIX + path) === 'on' ? null : undefined
}

function readValue(form: FormData, field: SettingField, stored: SettingValue | undefined, locale: Locale): Value | undefined {
  const value = contentOf(form, field, locale)
  if (value === null) return stored === undefined ? undefined : null
  if (field.kind === 'codes') return withoutOthers(value, stored)
  return JSON.stringify(value) === JSON.stringify(stored) ? undefined : value
}

/** Null if the field is empty. What cannot be read stays text, and the server says so. */
function contentOf(form: FormData, { path, kind, choices }: SettingField, locale: Locale): Exclude<Value, undefined> {
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
  // In English a comma separates groups: 500,000 is not five hundred.
  const number = Number(parseTypedAmount(text, locale) ?? text.replace(',', '.'))
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
