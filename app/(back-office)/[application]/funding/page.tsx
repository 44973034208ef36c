import type { Metadata } from 'next'
import { EmptyState, Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { ADJUSTMENT_CHANGES, FUNDING_KINDS } from '#lib/approvals/proposed-change.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { can } from '#lib/people/permissions.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { MESSAGES } from '#server/messages.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { AdjustButton } from './_components/adjust-button.tsx'
import { NewFundingButton } from './_components/new-funding-button.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('funding.title') }
}

/** Money that two people put into balances: what waits, and what became of the others. */
export default async function FundingPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'funding:read')
  const { applicationId } = actor
  const [t, locale, { changes, isAlone }, mayAdjust] = await Promise.all([
    getT(),
    readLocale(),
    listChanges(backOfficeRuntime().pool, { applicationId, kinds: [...FUNDING_KINDS, ...ADJUSTMENT_CHANGES], actor }),
    can(actor.roles, 'adjustment:propose') && runsInstallation(backOfficeRuntime().pool, applicationId),
  ])
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['funding.', 'change.'])}>
      <PageHeader
        title={t('funding.title')}
        lead={t('funding.lead')}
        actions={
          !isAlone && (
            <>
              {mayAdjust && <AdjustButton application={application} ledger={applicationId} transaction={null} />}
              <NewFundingButton application={application} />
            </>
          )
        }
      />
      {isAlone && (
        <div className="mt-4">
          <Notice>{t('funding.alone')}</Notice>
        </div>
      )}
      <ChangeList t={t} locale={locale} application={application} changes={changes} isPage />
      {changes.length === 0 && <EmptyState icon="wallet" title={t('funding.none')} />}
    </PageMessages>
  )
}
