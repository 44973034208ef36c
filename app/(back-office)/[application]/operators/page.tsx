import { DaysNote } from '#components/domain/time-text.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import type { ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import { OUTCOME_DAYS } from '#lib/operators/operator-outcomes.ts'
import { formatCount } from '#lib/text/format.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listConfiguredOperators } from '#server/operators/settings/operator-settings-store.ts'
import { readFloatForecast } from '#server/reports/float-forecast/read-float-forecast.ts'
import { RESPONSE_SAMPLE } from '#server/reports/operator-outcomes/read-operator-outcomes.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { FloatForecastSection } from '../_components/finance/float-forecast.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { ClosedDirections, ShortAccounts } from './_components/closed-directions.tsx'
import { BalanceTable, OutcomeTable } from './_components/operator-tables.tsx'
import { SettingsDifference } from './_components/settings-difference.tsx'
import { readOperators } from './read-operators.ts'

export const generateMetadata = titled('operators.title')

/** Whether the operators work for this application, what their balances are, and a test that moves no money. */
export default async function OperatorsPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'operator:read')
  const { pool, reportPool, clock } = backOfficeRuntime()
  const [t, locale, operators, configured, { changes }, forecasts] = await Promise.all([
    getT(),
    readLocale(),
    readOperators(actor),
    listConfiguredOperators(pool),
    listChanges(pool, { applicationId: actor.applicationId, kinds: ['operator.set'], actor }),
    // The accounts belong to the installation.
    actor.runsInstallation ? readFloatForecast(reportPool, clock.now()) : [],
  ])
  const isFromEnvironment = ({ before }: ProposedChangeDto) =>
    !configured.some((code) => code === before['operator']) &&
    operators.directions.some(({ operator, protocol }) => operator === before['operator'] && protocol !== null)
  return (
    <PageContent words={['operators.', 'availability.', 'change.']}>
      <PageHeader title={t('operators.title')} lead={t('operators.lead', { days: OUTCOME_DAYS })} />
      <ChangeList
        t={t}
        locale={locale}
        application={application}
        changes={changes}
        describe={(change) => <SettingsDifference t={t} change={change} isFromEnvironment={isFromEnvironment(change)} />}
      />
      <ClosedDirections t={t} application={application} directions={operators.directions} mayConfigure={operators.mayConfigure} />
      <ShortAccounts t={t} application={application} short={operators.short} mayConfigure={operators.mayConfigure} />
      <FloatForecastSection t={t} locale={locale} zone={actor.timeZone ?? actor.businessZone} forecasts={forecasts} />
      <div className="mt-6">
        <h2 id="outcomes">{t('operators.outcomes')}</h2>
        <OutcomeTable t={t} locale={locale} application={application} directions={operators.directions} />
        <p className="mt-2 text-second text-quiet">
          {t('operators.stateHint')} {t('operators.sampleNote', { count: formatCount(RESPONSE_SAMPLE, locale) })}
        </p>
      </div>
      <div className="mt-6">
        <h2 id="balances">{t('operators.balances')}</h2>
        <p className="mt-1 text-second text-quiet">
          {t('operators.balancesNote')} {t('operators.testNote')}
        </p>
        <BalanceTable t={t} application={application} balances={operators.balances} />
      </div>
      <p className="mt-3 text-second">
        <DaysNote zone={actor.businessZone} />
      </p>
    </PageContent>
  )
}
