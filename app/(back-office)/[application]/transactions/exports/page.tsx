import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState, Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listExports } from '#server/reports/export/stored-file.ts'
import { readRetentionMarks } from '#server/retention/remove-old-rows.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { CheckFile, ExportTable } from './_components/export-table.tsx'

export const generateMetadata = titled('exports.title')

/** The export history, and the check of a file. */
export default async function ExportsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'export:create')
  const { pool } = backOfficeRuntime()
  const [t, { refused }, exports, kept] = await Promise.all([
    getT(),
    searchParams,
    listExports(pool, actor.applicationId),
    readRetentionMarks(pool),
  ])
  return (
    <PageContent words={['exports.', 'transactions.']}>
      <PageHeader
        title={t('exports.title')}
        actions={<ButtonLink href={paths.transactions(application)}>{t('transaction.toList')}</ButtonLink>}
      />
      <div className="mt-4 grid gap-5">
        {refused && <Notice tone="bad">{t(refused === 'busy' || refused === 'failed' ? `exports.${refused}` : 'exports.refused')}</Notice>}
        <div className="grid max-w-2xl gap-1 text-second text-quiet">
          <p>{t('exports.formats')}</p>
          <p>{t('exports.storage')}</p>
        </div>
        <CheckFile application={application} />
        {exports.length === 0 ? (
          <EmptyState icon="download" title={t('exports.none')} text={t('exports.noneText')} />
        ) : (
          <ExportTable application={application} exports={exports} />
        )}
        {kept.exports && (
          <p className="text-second text-quiet">
            {t('exports.removed')} <TimeText at={kept.exports.toISOString()} style="full" />.
          </p>
        )}
      </div>
    </PageContent>
  )
}
