import type { ReactNode } from 'react'
import { MerchantLogo } from '#components/domain/merchant-logo.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import type { ChangeFacts, ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import { scheduleText } from '#lib/finance/withdrawal-schedule.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { readFeeFact, readFeeFactName, writePercent } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { COUNTRY_NAMES, isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { API_SCOPES } from '#lib/partner/api-scopes.ts'
import { combinesRoles, ROLES } from '#lib/people/permissions.ts'
import { JOURNAL_ACCOUNT_NAMES } from '#lib/reconciliation/journal.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { formatAmount, formatPhone, withPercent } from '#lib/text/format.ts'

/** Current and proposed values, one line per fact that differs, with a warning when roles meant for different people are combined. */
export function ChangeDifference({ t, locale, change }: { t: Translate; locale: Locale; change: ProposedChangeDto }) {
  const { before, after } = change
  const subject = subjectText(t, before)
  const isNothing = (name: string) => !(name in before) && (after[name] ?? '') === ''
  const names = [...Object.keys(FACT_NAMES), ...Object.keys(after).filter((name) => readFeeFactName(name) !== undefined)]
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]) && !isNothing(name))
  return (
    <>
      {subject && <p className="mt-1">{subject}</p>}
      <DifferenceLines
        lines={differing.map((name) => ({
          name,
          label: labelOf(t, name),
          // A fact of the proposal alone, such as a reference, replaces nothing.
          before: name in before ? factShown(t, locale, name, before) : null,
          after: factShown(t, locale, name, after),
        }))}
      />
      {typeof after['roles'] === 'object' && combinesRoles(after['roles'] ?? []) && after['isActive'] !== false && (
        <div className="mt-2">
          <Notice tone="wait">{t('change.combinesRoles')}</Notice>
        </div>
      )}
    </>
  )
}

/** Current and proposed values, one line per fact. */
export function DifferenceLines({ lines }: { lines: readonly { name: string; label: string; before: ReactNode; after: ReactNode }[] }) {
  return (
    <dl className="mt-2 grid gap-1">
      {lines.map(({ name, label, before, after }) => (
        <div key={name} className="flex gap-x-3 max-sm:flex-col">
          <dt className="shrink-0 text-quiet sm:w-48">{label}</dt>
          <dd className="min-w-0 wrap-anywhere whitespace-pre-line">
            {before !== null && (
              <>
                <del className="text-quiet">{before}</del>
                <span aria-hidden="true" className="mx-1.5 text-ink-3">
                  →
                </span>
              </>
            )}
            <ins className="font-medium no-underline">{after}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Fees as they are written in the table of services: 1.5 % + 100 XAF. */
function feeText(locale: Locale, value: string, currency: string): string {
  const { ratePpm, fixedMinor } = readFeeFact(value)
  const rate = withPercent(writePercent(ratePpm, locale), locale)
  return fixedMinor === 0n ? rate : `${rate} + ${formatAmount(formatMinor(fixedMinor), locale)} ${currency}`
}

/** The name of each fact in a difference. A fact that is not listed here is not shown. */
const FACT_NAMES: Readonly<Record<string, MessageKey>> = {
  ledger: 'change.fact.ledger',
  transactionId: 'change.fact.transactionId',
  amountMinor: 'change.fact.amount',
  feesMinor: 'change.fact.fees',
  collectMinor: 'change.fact.collect',
  depositMinor: 'change.fact.deposit',
  appFeesMinor: 'change.fact.appFees',
  walletNumber: 'change.fact.walletNumber',
  cutoffMinute: 'change.fact.cutoffMinute',
  operatorFeePpm: 'change.fact.operatorFeePpm',
  operatorFeeFixedMinor: 'change.fact.operatorFeeFixedMinor',
  operatorFeeTaxPpm: 'change.fact.operatorFeeTax',
  operatorFeeRounding: 'change.fact.operatorFeeRounding',
  operatorFeeForm: 'change.fact.operatorFeeForm',
  openingDay: 'change.fact.openingDay',
  openingMinor: 'change.fact.openingMinor',
  column_time: 'statements.column.time',
  column_clock: 'statements.column.clock',
  column_amount: 'statements.column.amount',
  column_credit: 'statements.column.credit',
  column_debit: 'statements.column.debit',
  column_fee: 'statements.column.fee',
  column_tax: 'statements.column.tax',
  column_balance: 'statements.column.balance',
  column_operatorId: 'statements.column.operatorId',
  column_ourId: 'statements.column.ourId',
  column_phone: 'statements.column.phone',
  column_type: 'statements.column.type',
  column_status: 'statements.column.status',
  column_currency: 'statements.column.currency',
  dateOrder: 'statements.choice.dateOrder',
  timesIn: 'statements.choice.zone',
  amountIs: 'statements.choice.amountIs',
  paidWords: 'statements.choice.paidWords',
  failedWords: 'statements.choice.failedWords',
  beforeHours: 'matching.beforeHours',
  afterHours: 'matching.afterHours',
  numberPairs: 'matching.numberPairs',
  phoneForms: 'matching.phoneForms',
  journal_code: 'journal.journalCode',
  ...Object.fromEntries(JOURNAL_ACCOUNT_NAMES.map((account) => [`journal_${account}`, `journal.account.${account}`] as const)),
  journal_wallets: 'journal.walletCodes',
  day: 'change.fact.day',
  originDay: 'change.fact.originDay',
  holder: 'change.fact.holder',
  bank: 'change.fact.bank',
  accountCurrency: 'change.fact.accountCurrency',
  bankNumber: 'change.fact.bankNumber',
  bankAccount: 'change.fact.bankAccount',
  transferFrom: 'change.fact.transferFrom',
  transferTo: 'change.fact.transferTo',
  every: 'change.fact.every',
  keepMinor: 'change.fact.keep',
  reference: 'change.fact.reference',
  reversalReason: 'change.fact.reversalReason',
  reversalIsDone: 'change.fact.reversalIsDone',
  evidence: 'change.fact.evidence',
  document: 'change.fact.document',
  documentSha256: 'change.fact.documentSha256',
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
  mobileMoney: 'change.fact.mobileMoney',
  phoneNumber: 'change.fact.phoneNumber',
  group: 'change.fact.group',
  newPeople: 'change.fact.newPeople',
  changedNumbers: 'change.fact.changedNumbers',
  changedNames: 'change.fact.changedNames',
  changedPlaces: 'change.fact.changedPlaces',
  decidesFor: 'change.fact.decidesFor',
  from: 'change.fact.from',
  until: 'change.fact.until',
  timeZone: 'change.fact.timeZone',
  countries: 'change.fact.countries',
  requiresSecondFactor: 'change.fact.requiresSecondFactor',
  copiesWebhookStatus: 'change.fact.copiesWebhookStatus',
  floatWaitHours: 'change.fact.floatWaitHours',
  undoSeconds: 'change.fact.undoSeconds',
  accountChecksMax: 'change.fact.accountChecksMax',
  allowsPaymentLinks: 'change.fact.allowsPaymentLinks',
  refundFeesFrom: 'change.fact.refundFeesFrom',
  allowsCombinedRoles: 'change.fact.allowsCombinedRoles',
  defaultWebhookUrl: 'change.fact.defaultWebhookUrl',
  eventsUrl: 'change.fact.eventsUrl',
  logo: 'change.fact.logo',
  support: 'change.fact.support',
  returnUrl: 'change.fact.returnUrl',
  offersRetry: 'change.fact.offersRetry',
  network: 'change.fact.network',
  note: 'change.fact.note',
  version: 'change.fact.version',
  laterDays: 'change.fact.laterDays',
  newKey: 'change.fact.newKey',
  scopes: 'change.fact.scopes',
  newUser: 'change.fact.newUser',
  hasNewPassword: 'change.fact.hasNewPassword',
  hasNewSecret: 'change.fact.hasNewSecret',
  overlapHours: 'change.fact.overlap',
}

/** Values that are words. */
const WORDS: Readonly<Record<string, MessageKey>> = {
  'refundFeesFrom.application': 'change.refundFeesFrom.application',
  'refundFeesFrom.customer': 'change.refundFeesFrom.customer',
  'dateOrder.day_first': 'statements.order.day_first',
  'dateOrder.month_first': 'statements.order.month_first',
  'timesIn.wallet': 'statements.zone.wallet',
  'timesIn.utc': 'statements.zone.utc',
  'numberPairs.none': 'matching.pairs.none',
  'numberPairs.unique': 'matching.pairs.unique',
  'numberPairs.twins': 'matching.pairs.twins',
  'phoneForms.all': 'matching.forms.all',
  'phoneForms.present': 'matching.forms.present',
  'amountIs.gross': 'statements.amountIs.gross',
  'amountIs.net': 'statements.amountIs.net',
}

/** The name of a fact; of fees, the direction that they are about. */
function labelOf(t: Translate, name: string): string {
  const direction = readFeeFactName(name)
  if (!direction) return t(FACT_NAMES[name] ?? 'change.none')
  const { brand, country } = OPERATORS[direction.operator]
  return `${brand} ${t(`country.${country.name}`)} · ${t(`type.${direction.type}`)}`
}

/** One side of a difference: a text, or the picture that it is about. */
function factShown(t: Translate, locale: Locale, name: string, facts: ChangeFacts): ReactNode {
  const value = facts[name]
  return name === 'logo' && typeof value === 'string' ? (
    <MerchantLogo logo={value} label={t('change.fact.logo')} />
  ) : (
    factText(t, locale, name, facts)
  )
}

/** Returns one side of a difference as text. Amounts are in the currency of the operator that the change is about. */
function factText(t: Translate, locale: Locale, name: string, facts: ChangeFacts): string {
  const value = facts[name]
  if (value === undefined || value === null || value === '') return t('change.none')
  const direction = readFeeFactName(name)
  if (direction && typeof value === 'string') return feeText(locale, value, OPERATORS[direction.operator].country.currency)
  if (typeof value === 'boolean') return t(value ? 'change.yes' : 'change.no')
  if (typeof value === 'object') {
    if (name === 'countries') return namesOf(COUNTRY_NAMES, value, (country) => t(`country.${country}`))
    if (name === 'scopes') return namesOf(API_SCOPES, value, (scope) => t(`credentials.scope.${scope}`))
    return namesOf(ROLES, value, (role) => t(`role.${role}`))
  }
  if (name.endsWith('Minor')) {
    const operator = facts['operator']
    const currency = isOperatorCode(operator) ? ` ${OPERATORS[operator].country.currency}` : ''
    return `${formatAmount(formatMinor(BigInt(value)), locale)}${currency}`
  }
  // Millionths, shown as a percentage.
  if (name.endsWith('Ppm')) return withPercent(formatAmount(String(Number(value) / 10_000), locale), locale)
  if (name === 'operatorFeeRounding' || name === 'operatorFeeForm') {
    return t(`fees.${name === 'operatorFeeForm' ? 'form' : 'rounding'}.${value}` as MessageKey)
  }
  if (name === 'mobileMoney' && isOperatorCode(value)) return `${OPERATORS[value].brand} ${t(`country.${OPERATORS[value].country.name}`)}`
  if (name === 'phoneNumber') return formatPhone(String(value))
  if (name === 'transferFrom' || name === 'transferTo') return walletText(t, String(value))
  if (name === 'every') {
    const [every = '', day, minute] = String(value).split(' ')
    return scheduleText(t, { every, day: Number(day), minute: Number(minute) })
  }
  const word = WORDS[`${name}.${value}`]
  if (word) return t(word)
  if (name === 'overlapHours') return hoursText(t, Number(value))
  return String(value)
}

/** A length of time as people say it: in days, if it is some. */
export function hoursText(t: Translate, hours: number): string {
  return hours >= 48 && hours % 24 === 0 ? t('change.days', { count: hours / 24 }) : t('change.hours', { count: hours })
}

function namesOf<Word extends string>(words: readonly Word[], present: readonly string[], nameOf: (word: Word) => string): string {
  return words
    .filter((word) => present.includes(word))
    .map(nameOf)
    .join(', ')
}

/** The subject of a change, the same before and after: a person, a key, an API user, or an operator and direction. */
function subjectText(t: Translate, facts: ChangeFacts): string | null {
  if (typeof facts['person'] === 'string') return facts['person']
  if (typeof facts['about'] === 'string') return facts['about']
  if (typeof facts['wallet'] === 'string') return walletText(t, facts['wallet'])
  const { operator, type } = facts
  if (!isOperatorCode(operator)) return null
  const { brand, country } = OPERATORS[operator]
  const name = `${brand} ${t(`country.${country.name}`)}`
  return type === 'COLLECT' || type === 'DEPOSIT' ? `${name} · ${t(`type.${type}`)}` : name
}
