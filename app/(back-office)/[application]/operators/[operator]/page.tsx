import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { AvailabilityBadge } from '#components/domain/availability-badge.tsx'
import { DaysNote, TimeText } from '#components/domain/time-text.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { availabilityHint, type DirectionHistory, HISTORY_DAYS, HISTORY_PERIODS } from '#lib/operators/operator-outcomes.ts'
import { AMOUNT_SETTINGS_NAME, type ProtocolSettings } from '#lib/operators/operator-settings.ts'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { type BackOfficeActor, requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listProtocolSettings } from '#server/operators/settings/list-operators.ts'
import { readOperatorHistory } from '#server/reports/operator-outcomes/read-operator-history.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { PageContent, type PageProps } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { OpenAgain } from '../_components/open-again.tsx'
import { TestButton } from '../_components/operator-buttons.tsx'
import { ServiceState } from '../_components/operator-tables.tsx'
import type { OperatorWords } from '../_components/operator-words.ts'
import { SettingsDifference } from '../_components/settings-difference.tsx'
import { UnconfirmedLink } from '../_components/unconfirmed-link.tsx'
import { type DirectionState, isClosedForFault, readDirectionStates } from '../read-operators.ts'
import { HistoryPart } from './_components/history-part.tsx'
import { SettingsPart } from './_components/settings-part.tsx'

const addressSchema = z.object({ period: z.enum(HISTORY_PERIODS).default('hours') })

export async function generateMetadata({ params }: PageProps<'operator'>): Promise<Metadata> {
  const { operator } = await params
  const t = await getT()
  if (!isOperatorCode(operator)) return { title: t('operators.title') }
  const { brand, country } = OPERATORS[operator]
  return { title: `${brand} ${t(`country.${country.name}`)}` }
}

/** One operator: whether it works now, what became of its transactions over time, and how it is reached. */
export default async function OperatorPage({ params, searchParams }: PageProps<'operator'>) {
  const { application, operator } = await params
  const actor = await requireActor(application, 'operator:read')
  if (!isOperatorCode(operator)) notFound()
  const read = readAddress(addressSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.operator(application, operator)} />
  const [t, locale, found] = await Promise.all([getT(), readLocale(), readOneOperator(actor, operator)])
  const { directions, history, settings, changes } = found
  const timeZone = actor.timeZone ?? actor.businessZone
  const { brand, country } = OPERATORS[operator]
  const words = { t, locale, timeZone }
  const isReachable = directions.some(({ protocol }) => protocol !== null)
  const isStored = settings?.some(({ protocol, stored }) => stored !== null && protocol !== AMOUNT_SETTINGS_NAME) ?? false
  return (
    <PageContent words={['operators.', 'availability.', 'change.']}>
      <PageHeader
        title={`${brand} ${t(`country.${country.name}`)}`}
        lead={
          <Link href={paths.operators(application)} className="inline-block py-0.5 underline">
            {t('operators.all')}
          </Link>
        }
      />
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        describe={(change) => <SettingsDifference t={t} change={change} isFromEnvironment={isReachable && !isStored} />}
      />
      <NowPart
        words={words}
        application={application}
        operator={operator}
        directions={directions}
        history={history}
        mayConfigure={settings !== null && can(actor.roles, 'operator:configure')}
      />
      <HistoryPart words={words} application={application} operator={operator} period={read.value.period} history={history} />
      <DisturbanceList t={t} history={history} />
      <SettingsPart
        t={t}
        application={application}
        settings={settings}
        isAlone={found.isAlone}
        isReachable={isReachable}
        mayConfigure={can(actor.roles, 'operator:configure')}
      />
      <p className="mt-3 text-second">
        <DaysNote zone={actor.businessZone} />
      </p>
    </PageContent>
  )
}

type OneOperator = {
  directions: DirectionState[]
  history: DirectionHistory[]
  /** Null for administrators of every other application than the one that runs the installation. */
  settings: ProtocolSettings[] | null
  changes: ProposedChangeDto[]
  /** Nobody else could confirm a change. */
  isAlone: boolean
}

async function readOneOperator(actor: BackOfficeActor, operator: OperatorCode): Promise<OneOperator> {
  const { pool, reportPool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [directions, history, configured] = await Promise.all([
    readDirectionStates(applicationId, operator),
    readOperatorHistory(reportPool, actor, operator, clock.now()),
    runsInstallation(pool, applicationId),
  ])
  if (!configured) return { directions, history, settings: null, changes: [], isAlone: false }
  const [settings, { changes, isAlone }] = await Promise.all([
    listProtocolSettings(pool, operator),
    listChanges(pool, { applicationId, kinds: ['operator.set'], actor }),
  ])
  return {
    directions,
    history,
    settings,
    changes: changes.filter(({ before }) => before['operator'] === operator),
    isAlone,
  }
}

/** When the operator was delayed or closed, newest first. */
function DisturbanceList({ t, history }: { t: Translate; history: readonly DirectionHistory[] }) {
  const shown = history
    .flatMap(({ type, disturbances }) => disturbances.map((each) => ({ type, ...each })))
    .toSorted((left, right) => right.from.localeCompare(left.from))
  const count = history.reduce((sum, { disturbanceCount }) => sum + disturbanceCount, 0)
  return (
    <section aria-labelledby="disturbances" className="mt-6">
      <h2 id="disturbances">{t('operators.disturbances')}</h2>
      {shown.length === 0 ? (
        <p className="mt-1 text-quiet">{t('operators.noDisturbance', { days: HISTORY_DAYS })}</p>
      ) : (
        <ul className="mt-2 grid gap-1.5">
          {shown.map(({ type, state, from, until }) => (
            <li key={`${type} ${from}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <AvailabilityBadge t={t} state={state} />
              <span>{t(`type.${type}`)}</span>
              <span className="text-ink-2">
                <TimeText at={from} /> – {until === null ? t('operators.untilNow') : <TimeText at={until} />}
              </span>
            </li>
          ))}
        </ul>
      )}
      {count > shown.length && (
        <p className="mt-1 text-second text-quiet">{t('operators.moreDisturbances', { count: count - shown.length })}</p>
      )}
    </section>
  )
}

type NowPartProps = {
  words: OperatorWords
  application: string
  operator: OperatorCode
  directions: readonly DirectionState[]
  history: readonly DirectionHistory[]
  /** Of the application that runs the installation. */
  mayConfigure: boolean
}

/** Both directions as they are now, and a test. */
function NowPart({ words, application, operator, directions, history, mayConfigure }: NowPartProps) {
  const { t } = words
  return (
    <section aria-labelledby="now" className="mt-6">
      <h2 id="now">{t('operators.now')}</h2>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {directions.map((direction) => (
          <Direction
            key={direction.type}
            words={words}
            application={application}
            operator={operator}
            direction={direction}
            history={history.find(({ type }) => type === direction.type)}
          />
        ))}
      </div>
      {mayConfigure && directions.some(isClosedForFault) && <OpenAgain application={application} operator={operator} />}
      {directions.some(({ protocol }) => protocol !== null) && (
        <div className="mt-3 grid justify-items-start gap-1">
          <TestButton application={application} operator={operator} />
          <p className="text-second text-quiet">{t('operators.testNote')}</p>
        </div>
      )}
    </section>
  )
}

type DirectionProps = {
  words: OperatorWords
  application: string
  operator: OperatorCode
  direction: DirectionState
  history: DirectionHistory | undefined
}

function Direction({ words: { t }, application, operator, direction, history }: DirectionProps) {
  const { type, protocol, state, since, fault } = direction
  return (
    <Card>
      <h3 className="font-strong">{t(`type.${type}`)}</h3>
      <div className="mt-2 flex flex-wrap items-start gap-x-6 gap-y-2">
        <div>
          <ServiceState t={t} direction={direction} />
        </div>
        {protocol !== null && (
          <div>
            <AvailabilityBadge t={t} state={state} />
            {since && (
              <span className="block text-second text-quiet">
                {t('operators.since')} <TimeText at={since} />
              </span>
            )}
          </div>
        )}
      </div>
      {protocol !== null && state !== 'OPERATIONAL' && (
        <p className="mt-2">{t(availabilityHint({ ...direction, state, missing: null }), { fault: fault ?? '' })}</p>
      )}
      {history && (history.waiting > 0 || history.unconfirmed > 0) && (
        <p className="mt-2 text-ink-2">
          {history.waiting > 0 && t('operators.waiting', { count: history.waiting })}
          {history.waiting > 0 && history.unconfirmed > 0 && ' · '}
          <UnconfirmedLink t={t} application={application} operator={operator} type={type} count={history.unconfirmed} />
        </p>
      )}
    </Card>
  )
}
