import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { getT } from '#server/back-office/preferences.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { UploadForm } from './_components/upload-form.tsx'

export const generateMetadata = titled('batches.new')

/** The page to upload a file of payments. */
export default async function NewBatchPage({ params }: PageProps) {
  const { application } = await params
  await requireActor(application, 'transaction:create')
  const t = await getT()
  const link = 'text-accent underline'
  return (
    <PageContent words={['batches.']}>
      <PageHeader title={t('batches.new')} actions={<ButtonLink href={paths.batches(application)}>{t('batches.toList')}</ButtonLink>} />
      <div className="mt-4 grid max-w-2xl gap-5">
        <p className="text-ink-2">{t('batches.newText')}</p>
        <UploadForm application={application} />
        <p className="text-second text-quiet">
          {t('batches.templates')}{' '}
          <a href={paths.data(application, 'batches/template', { format: 'xlsx' })} download className={link}>
            {t('batches.templateXlsx')}
          </a>
          {' · '}
          <a href={paths.data(application, 'batches/template', { format: 'csv' })} download className={link}>
            {t('batches.templateCsv')}
          </a>
        </p>
      </div>
    </PageContent>
  )
}
