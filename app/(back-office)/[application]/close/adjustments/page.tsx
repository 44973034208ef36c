import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ADJUSTMENT_CHANGES } from '#lib/approvals/proposed-change.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { adjustmentAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { readAdjustable, readFees } from '#server/reconciliation/adjustments/read-adjustable.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../../_components/changes/confirmation-notice.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { CloseTabs } from '../_components/close-tabs.tsx'
import { AdjustableCard } from './_components/adjustable-card.tsx'
import { FeesSection } from './_components/fees-section.tsx'
import { TransactionForm } from './_components/transaction-form.tsx'

export const generateMetadata = titled('close.adjustments')

/**
 * Adjustments by two people of the installation in the books of any application: of a transaction that has ended, found by its id, and the fees that are
 * to be taken out.
 */
export default async function AdjustmentsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const address = readAddress(adjustmentAddressSchema, await searchParams)
  if (!address.ok) return <WrongAddress href={paths.adjustments(application)} />
  const { transaction, ledger } = address.value
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, { changes, ...confirmation }, found, fees] = await Promise.all([
    getT(),
    readLocale(),
    listChanges(pool, { applicationId, kinds: ADJUSTMENT_CHANGES, actor }),
    readAdjustable(pool, transaction),
    readFees(pool, ledger),
  ])
  const mayPropose = can(actor.roles, 'adjustment:propose') && !confirmation.isAlone
  return (
    <PageContent words={['close.', 'adjustments.', 'funding.', 'change.', 'transaction.', 'status.']}>
      <PageHeader title={t('frame.close')} lead={t('adjustments.lead')} />
      <CloseTabs t={t} application={application} current="adjustments" />
      <ConfirmationNotice t={t} alone="adjustments.alone" {...confirmation} />
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <section aria-labelledby="adjust-one" className="mt-6">
        <h2 id="adjust-one">{t('adjustments.ofTransaction')}</h2>
        <TransactionForm t={t} application={application} transaction={transaction} />
        {found && <AdjustableCard application={application} isOwn={found.ledger === applicationId} found={found} mayPropose={mayPropose} />}
        {transaction !== '' && !found && (
          <EmptyState icon="search" title={t('adjustments.notFound')} text={t('adjustments.notFoundText')} />
        )}
      </section>
      <FeesSection t={t} application={application} ledger={ledger} fees={fees} mayPropose={mayPropose} />
    </PageContent>
  )
}
