import type { Translate } from '#lib/i18n/translate.ts'
import { isSettingName, type SettingValue } from '#lib/operator-settings.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'

/** The name of a field, after that of its group. */
export function settingName(t: Translate, path: string): string {
  return path
    .split('.')
    .map((name) => (isSettingName(name) ? t(`operators.field.${name}`) : name))
    .join(' · ')
}

/** A value as people read it. Tables of codes are one line per code. */
export function settingText(t: Translate, value: SettingValue): string {
  if (typeof value === 'boolean') return t(value ? 'change.yes' : 'change.no')
  if (typeof value !== 'object') return String(value)
  if (isTable(value)) return codeLines(value).join('\n')
  return value.map((each) => choiceText(t, each)).join(', ')
}

/** One possible value of a choice. */
export function choiceText(t: Translate, choice: string): string {
  const type = TRANSACTION_TYPES.find((each) => each === choice)
  return type ? t(`type.${type}`) : choice
}

/** A table of codes as it is written into the form. */
export function codeLines(table: Readonly<Record<string, string>>): string[] {
  return Object.entries(table).map(([code, meaning]) => `${code} = ${meaning}`)
}

export function isTable(value: SettingValue | undefined): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && !Array.isArray(value)
}
