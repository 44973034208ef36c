import { notFound } from 'next/navigation'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { BENEFICIARY_CHANGES } from '#lib/approvals/proposed-change.ts'
import { paths } from '#lib/pages/paths.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readConfirmation } from '#server/changes/list-changes.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { ImportForm } from './_components/import-form.tsx'

export const generateMetadata = titled('beneficiaries.import.title')

/** The page on which a file of beneficiaries is looked through and proposed. */
export default async function ImportPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'beneficiary:change')
  const { applicationId } = actor
  const { isAlone } = await readConfirmation(backOfficeRuntime().pool, { applicationId, kinds: BENEFICIARY_CHANGES, actor })
  // The book has no way here then.
  if (isAlone) notFound()
  const t = await getT()
  return (
    <PageContent
      words={[
        'beneficiaries.',
        'batches.file.',
        'batches.fileField',
        'batches.busy',
        'batches.notSent',
        'batches.fileMissing',
        'batches.defaultOperator',
        'batches.operatorInFile',
        'change.',
      ]}
    >
      <PageHeader
        title={t('beneficiaries.import.title')}
        lead={t('beneficiaries.import.lead')}
        actions={<ButtonLink href={paths.beneficiaries(application)}>{t('beneficiaries.import.toBook')}</ButtonLink>}
      />
      <ImportForm application={application} />
    </PageContent>
  )
}
