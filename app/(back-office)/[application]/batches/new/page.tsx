import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/button.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { UploadForm } from './_components/upload-form.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('batches.new') }
}

/** The page to upload a file of payments. */
export default async function NewBatchPage({ params }: Props) {
  const { application } = await params
  await requireActor(application, 'transaction:create')
  const [t, locale] = await Promise.all([getT(), readLocale()])
  const link = 'text-accent underline'
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['batches.'])}>
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
    </PageMessages>
  )
}
