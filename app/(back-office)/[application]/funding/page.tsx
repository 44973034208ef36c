import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { ADJUSTMENT_CHANGES, FUNDING_KINDS, REVERSAL_CHANGES, TREASURY_KINDS } from '#lib/approvals/proposed-change.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { MESSAGES } from '#server/messages.ts'
import { readTreasury } from '#server/reconciliation/treasury/read-treasury.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../_components/changes/confirmation-notice.tsx'
import { TransitSection } from '../_components/transit/transit-section.tsx'
import { AccountsSection } from './_components/accounts-section.tsx'
import { NewFundingButton } from './_components/new-funding-button.tsx'
import { SchedulesSection } from './_components/schedules-section.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('funding.title') }
}

/**
 * Money that two people put into balances or take out of them: what waits, and what became of the others; how far withdrawals are; the bank accounts
 * and the schedules.
 */
export default async function FundingPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'funding:read')
  const { applicationId, roles, runsInstallation, businessZone } = actor
  const { pool, clock } = backOfficeRuntime()
  const mayAdjust = runsInstallation && can(roles, 'adjustment:propose')
  const carriesOut = runsInstallation && can(roles, 'reconciliation:work')
  const [t, locale, { changes, ...confirmation }, { accounts, minimums, schedules, transit }] = await Promise.all([
    getT(),
    readLocale(),
    listChanges(pool, { applicationId, kinds: [...FUNDING_KINDS, ...TREASURY_KINDS, ...ADJUSTMENT_CHANGES, ...REVERSAL_CHANGES], actor }),
    readTreasury(pool, { applicationId, carriesOut, now: clock.now() }),
  ])
  const words = { t, locale, application }
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['funding.', 'change.', 'treasury.'])}>
      <PageHeader
        title={t('funding.title')}
        lead={t('funding.lead')}
        actions={
          !confirmation.isAlone && (
            <>
              {mayAdjust && <ButtonLink href={paths.adjustments(application)}>{t('funding.toAdjustments')}</ButtonLink>}
              <NewFundingButton application={application} accounts={accounts} />
            </>
          )
        }
      />
      <ConfirmationNotice t={t} alone="funding.alone" {...confirmation} />
      <ChangeList t={t} locale={locale} application={application} changes={changes} isPage />
      {changes.length === 0 && <EmptyState icon="wallet" title={t('funding.none')} />}
      <TransitSection {...words} kind="withdrawals" transit={transit} mayMark={carriesOut} today={dayIn(businessZone, clock.now())} />
      <AccountsSection {...words} accounts={accounts} minimums={minimums} mayPropose={!confirmation.isAlone} />
      <SchedulesSection {...words} accounts={accounts} schedules={schedules} mayPropose={!confirmation.isAlone} zone={businessZone} />
    </PageMessages>
  )
}
