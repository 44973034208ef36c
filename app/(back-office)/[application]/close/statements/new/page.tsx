import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { getT } from '#server/back-office/preferences.ts'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { UploadForm } from './_components/upload-form.tsx'

export const generateMetadata = titled('statements.new')

/** The page to upload an operator's statement. */
export default async function NewStatementPage({ params }: PageProps) {
  const { application } = await params
  await requireInstaller(application, 'reconciliation:work')
  const t = await getT()
  return (
    <PageContent words={['close.', 'statements.', 'batches.file']}>
      <PageHeader
        title={t('statements.new')}
        actions={<ButtonLink href={paths.statements(application)}>{t('statements.toList')}</ButtonLink>}
      />
      <div className="mt-4 grid max-w-2xl gap-5">
        <p className="text-ink-2">{t('statements.newText')}</p>
        <UploadForm application={application} />
      </div>
    </PageContent>
  )
}
