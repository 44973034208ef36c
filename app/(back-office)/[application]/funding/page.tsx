import type { Metadata } from 'next'
import { EmptyState, Notice } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { can } from '#lib/permissions.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listFundings } from '#server/funding/list-fundings.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { FundingTable } from './_components/funding-table.tsx'
import { NewFundingButton } from './_components/new-funding-button.tsx'
import { WaitingFunding } from './_components/waiting-funding.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('funding.title') }
}

/** Money that two people put into balances: what waits, and what became of the others. */
export default async function FundingPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'funding:read')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, fundings, members] = await Promise.all([
    getT(),
    readLocale(),
    listFundings(pool, { applicationId, actor }),
    listActiveMembers(pool, applicationId),
  ])
  const isAlone = !members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'funding:decide'))
  const waiting = fundings.filter(({ state }) => state === 'open')
  const earlier = fundings.filter(({ state }) => state !== 'open')
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['funding.'])}>
      <PageHeader
        title={t('funding.title')}
        lead={t('funding.lead')}
        actions={!isAlone && <NewFundingButton application={application} />}
      />
      {isAlone && (
        <div className="mt-4">
          <Notice>{t('funding.alone')}</Notice>
        </div>
      )}
      <section aria-labelledby="waiting" className="mt-6">
        <h2 id="waiting">{waiting.length === 0 ? t('funding.noneWaiting') : t('funding.waiting', { count: waiting.length })}</h2>
        <ul className="mt-2 grid gap-2">
          {waiting.map((funding) => (
            <WaitingFunding key={funding.fundingId} t={t} application={application} funding={funding} />
          ))}
        </ul>
      </section>
      <div className="mt-6">
        <h2 id="earlier">{t('funding.earlier')}</h2>
        {earlier.length === 0 ? <EmptyState icon="wallet" title={t('funding.noneEarlier')} /> : <FundingTable t={t} fundings={earlier} />}
      </div>
    </PageMessages>
  )
}
