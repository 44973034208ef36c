import type { ReactNode } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import type { ChangeFacts, ChangeState, ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { COUNTRY_NAMES, isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { combinesRoles, ROLES } from '#lib/people/permissions.ts'
import { formatAmount, withPercent } from '#lib/text/format.ts'
import { ChangeButtons, CollectButton } from './change-buttons.tsx'

const TONES: Readonly<Record<ChangeState, Tone>> = {
  open: 'wait',
  confirmed: 'ok',
  refused: 'bad',
  withdrawn: 'neutral',
  expired: 'neutral',
}

type ListProps = {
  t: Translate
  locale: Locale
  application: string
  changes: readonly ProposedChangeDto[]
  /** Shows a difference that is more than a list of facts. */
  differenceOf?: (change: ProposedChangeDto) => ReactNode
}

/** The proposed changes that a page is about: what would change, who proposed it, and what became of it. Nothing if there are none. */
export function ChangeList({ t, locale, application, changes, differenceOf }: ListProps) {
  const open = changes.filter(isUnfinished)
  const decided = changes.filter((change) => !isUnfinished(change))
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="changes" className="mt-6">
      <h2 id="changes">{t('change.title')}</h2>
      {open.length === 0 && <p className="mt-1 text-quiet">{t('change.noneOpen')}</p>}
      <ul className="mt-2 grid gap-2">
        {open.map((change) => (
          <ChangeRow key={change.changeId} t={t} locale={locale} application={application} change={change} differenceOf={differenceOf} />
        ))}
      </ul>
      {decided.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-ink-2">{t('change.decided', { count: decided.length })}</summary>
          <ul className="mt-2 grid gap-2">
            {decided.map((change) => (
              <ChangeRow
                key={change.changeId}
                t={t}
                locale={locale}
                application={application}
                change={change}
                differenceOf={differenceOf}
              />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** It waits for a decision, or for its proposer, who has not collected the secret that it makes. */
function isUnfinished({ state, collection }: ProposedChangeDto): boolean {
  return state === 'open' || collection === 'yours' || collection === 'others'
}

type RowProps = Omit<ListProps, 'changes' | 'differenceOf'> & { change: ProposedChangeDto; differenceOf: ListProps['differenceOf'] }

function ChangeRow({ t, locale, application, change, differenceOf }: RowProps) {
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-strong">{t(`change.kind.${change.kind}`)}</h3>
        <Badge tone={TONES[change.state]} hasDot>
          {t(`change.state.${change.state}`)}
        </Badge>
      </div>
      {differenceOf ? differenceOf(change) : <ChangeDifference t={t} locale={locale} change={change} />}
      <p className="mt-2 text-second text-quiet">
        {t('change.proposedBy', { name: change.proposedBy.name })} <TimeText at={change.proposedAt} />
        {change.state === 'open' && (
          <>
            {' · '}
            {t('change.expires')} <TimeText at={change.expiresAt} />
          </>
        )}
        {change.decidedBy && change.decidedAt && change.state !== 'withdrawn' && (
          <>
            {' · '}
            {t('change.decidedBy', { name: change.decidedBy.name })} <TimeText at={change.decidedAt} />
          </>
        )}
      </p>
      {change.reason && <p className="mt-1">{t('change.reasonIs', { reason: change.reason })}</p>}
      {change.collection === 'yours' && <CollectButton application={application} changeId={change.changeId} />}
      {change.collection && change.collection !== 'yours' && (
        <p className="mt-2 text-quiet">{t(`change.collection.${change.collection}`, { name: change.proposedBy.name })}</p>
      )}
      {change.state === 'open' && (
        <ChangeButtons
          application={application}
          changeId={change.changeId}
          mayDecide={change.mayDecide}
          personId={change.kind === 'person.roles' ? change.subject : null}
        />
      )}
    </li>
  )
}

/** Current and proposed values, one line per fact that differs, with a warning when roles meant for different people are combined. */
function ChangeDifference({ t, locale, change }: { t: Translate; locale: Locale; change: ProposedChangeDto }) {
  const { before, after } = change
  const subject = subjectText(t, before)
  const differing = Object.keys(FACT_NAMES).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return (
    <>
      {subject && <p className="mt-1">{subject}</p>}
      <DifferenceLines
        lines={differing.map((name) => ({
          name,
          label: t(FACT_NAMES[name] ?? 'change.none'),
          before: factText(t, locale, name, before),
          after: factText(t, locale, name, after),
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
export function DifferenceLines({ lines }: { lines: readonly { name: string; label: string; before: string; after: string }[] }) {
  return (
    <dl className="mt-2 grid gap-1">
      {lines.map(({ name, label, before, after }) => (
        <div key={name} className="flex gap-x-3 max-sm:flex-col">
          <dt className="shrink-0 text-quiet sm:w-48">{label}</dt>
          <dd className="min-w-0 wrap-anywhere whitespace-pre-line">
            <del className="text-quiet">{before}</del>
            <span aria-hidden="true" className="mx-1.5 text-ink-3">
              →
            </span>
            <ins className="font-medium no-underline">{after}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The name of each fact in a difference. A fact that is not listed here is not shown. */
const FACT_NAMES: Readonly<Record<string, MessageKey>> = {
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
function factText(t: Translate, locale: Locale, name: string, facts: ChangeFacts): string {
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
  if (name === 'appRatePpm') return withPercent(formatAmount(String(Number(value) / 10_000), locale), locale)
  if (name === 'overlapHours') return t('change.hours', { count: Number(value) })
  return String(value)
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
  const { operator, type } = facts
  if (!isOperatorCode(operator) || (type !== 'COLLECT' && type !== 'DEPOSIT')) return null
  const { brand, country } = OPERATORS[operator]
  return `${brand} ${t(`country.${country.name}`)} · ${t(`type.${type}`)}`
}
