import { formatAmount } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money.ts'
import { COUNTRY_NAMES, isOperatorCode, OPERATORS } from '#lib/operators.ts'
import { ROLES } from '#lib/permissions.ts'
import type { ChangeFacts } from '#lib/proposed-change.ts'

/** The name of each fact in a difference. A fact that is not listed here is not shown. */
export const FACT_NAMES: Readonly<Record<string, MessageKey>> = {
  roles: 'change.fact.roles',
  isActive: 'change.fact.isActive',
  isBlocked: 'change.fact.isBlocked',
  hasSecondFactor: 'change.fact.hasSecondFactor',
  isEnabled: 'change.fact.isEnabled',
  enforcesLimits: 'change.fact.enforcesLimits',
  minimumMinor: 'change.fact.minimum',
  maximumMinor: 'change.fact.maximum',
  appRatePpm: 'change.fact.appRate',
  appFixedMinor: 'change.fact.appFixed',
  name: 'change.fact.name',
  timeZone: 'change.fact.timeZone',
  countries: 'change.fact.countries',
  requiresSecondFactor: 'change.fact.requiresSecondFactor',
  copiesWebhookStatus: 'change.fact.copiesWebhookStatus',
  allowsCombinedRoles: 'change.fact.allowsCombinedRoles',
  defaultWebhookUrl: 'change.fact.defaultWebhookUrl',
  network: 'change.fact.network',
  note: 'change.fact.note',
  version: 'change.fact.version',
  newKey: 'change.fact.newKey',
  newUser: 'change.fact.newUser',
  hasNewPassword: 'change.fact.hasNewPassword',
  hasNewSecret: 'change.fact.hasNewSecret',
  overlapHours: 'change.fact.overlap',
}

/** Returns one side of a difference as text. Amounts are in the currency of the operator that the change is about. */
export function factText(t: Translate, locale: Locale, name: string, facts: ChangeFacts): string {
  const value = facts[name]
  if (value === undefined || value === null || value === '') return t('change.none')
  if (typeof value === 'boolean') return t(value ? 'change.yes' : 'change.no')
  if (typeof value === 'object') {
    if (name === 'countries') return namesOf(COUNTRY_NAMES, value, (country) => t(`country.${country}`))
    return namesOf(ROLES, value, (role) => t(`role.${role}`))
  }
  if (name.endsWith('Minor')) {
    const operator = facts['operator']
    const currency = isOperatorCode(operator) ? ` ${OPERATORS[operator].country.currency}` : ''
    return `${formatAmount(formatMinor(BigInt(value)), locale)}${currency}`
  }
  // Millionths, shown as a percentage.
  if (name === 'appRatePpm') return `${formatAmount(String(Number(value) / 10_000), locale)} %`
  if (name === 'overlapHours') return t('change.hours', { count: Number(value) })
  return String(value)
}

function namesOf<Word extends string>(words: readonly Word[], present: readonly string[], nameOf: (word: Word) => string): string {
  return words
    .filter((word) => present.includes(word))
    .map(nameOf)
    .join(', ')
}

/** What a change is about, which is the same on both sides: the person, the key or user, or operator and direction. */
export function subjectText(t: Translate, facts: ChangeFacts): string | null {
  if (typeof facts['person'] === 'string') return facts['person']
  if (typeof facts['about'] === 'string') return facts['about']
  const { operator, type } = facts
  if (!isOperatorCode(operator) || (type !== 'COLLECT' && type !== 'DEPOSIT')) return null
  const { brand, country } = OPERATORS[operator]
  return `${brand} ${t(`country.${country.name}`)} · ${t(`type.${type}`)}`
}
