import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { durationText } from '#lib/operators/duration-text.ts'
import type { Outcomes } from '#lib/operators/operator-outcomes.ts'
import { AMOUNT_SETTINGS_NAME, isSettingName, type SettingValue } from '#lib/operators/operator-settings.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { formatCount, formatShare } from '#lib/text/format.ts'

const NAMES: Readonly<Record<string, string>> = {
  'mtn-momo': 'MTN MoMo',
  airtel: 'Airtel Open API',
  wave: 'Wave Business API',
  'orange-cm': 'Orange Money Core API',
  'orange-web': 'Orange Web Payment',
  'orange-bf': 'Orange Money Burkina Faso',
  'orange-sonatel': 'Orange Sonatel',
  moov: 'Moov SOAP',
}

/** The name of a protocol as its operator writes it, in a sentence. */
export function protocolText(t: Translate, protocol: string): string {
  return protocol === 'gateway' ? t('operators.gateway') : (NAMES[protocol] ?? protocol)
}

/** The same as a heading. */
export function protocolName(t: Translate, protocol: string): string {
  if (protocol === AMOUNT_SETTINGS_NAME) return t('operators.amountsName')
  return protocol === 'gateway' ? t('operators.gatewayName') : (NAMES[protocol] ?? protocol)
}

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

/** The figures of one row as text; a dash where there is nothing to divide. */
export function figuresOf(t: Translate, locale: Locale, { succeeded, failed, open, responses }: Outcomes) {
  const ended = succeeded + failed
  const { count, unknown, medianMs, slowMs } = responses
  return {
    succeeded: ended === 0 ? '–' : formatShare(succeeded / ended, locale),
    failed: ended === 0 ? '–' : formatShare(failed / ended, locale),
    open: formatCount(open, locale),
    ended: formatCount(ended, locale),
    unanswered: count === 0 ? '–' : formatShare(unknown / count, locale),
    median: medianMs === null ? '–' : durationText(t, locale, medianMs),
    slow: slowMs === null ? null : t('operators.slow', { time: durationText(t, locale, slowMs) }),
  }
}

/** The language, and the zone of clock times: the person's own. */
export type OperatorWords = { t: Translate; locale: Locale; timeZone: string }
