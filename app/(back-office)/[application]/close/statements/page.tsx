import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { formatCount } from '#lib/text/format.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listStatements } from '#server/reconciliation/statements/list-statements.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { CloseTabs } from '../_components/close-tabs.tsx'
import { StatementState, statementPeriod } from '../_components/statement-state.tsx'
import { WalletMark } from '../_components/wallet-mark.tsx'

export const generateMetadata = titled('close.statements')

/** Every statement that was uploaded, newest first. */
export default async function StatementsPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const [t, locale, files] = await Promise.all([getT(), readLocale(), listStatements(backOfficeRuntime().pool, actor.applicationId)])
  const upload = can(actor.roles, 'reconciliation:work') && (
    <ButtonLink variant="primary" href={paths.newStatement(application)}>
      {t('statements.new')}
    </ButtonLink>
  )
  return (
    <PageContent words={['close.', 'statements.']}>
      <PageHeader title={t('frame.close')} lead={t('close.lead')} actions={upload} />
      <CloseTabs t={t} application={application} current="statements" />
      {files.length === 0 && <EmptyState icon="file" title={t('statements.none')} text={t('close.emptyText')} />}
      {files.length > 0 && (
        <ListTable
          label={t('close.statements')}
          className="mt-4"
          isList
          rows={files}
          keyOf={({ fileId }) => fileId}
          columns={[
            { head: t('close.wallet'), cellClass: 'whitespace-nowrap', cell: ({ wallet }) => <WalletMark t={t} wallet={wallet} /> },
            {
              head: t('statements.fileName'),
              cell: (file) => (
                <>
                  <Link href={paths.statementFile(application, file.fileId)} className="font-medium wrap-anywhere underline">
                    {file.fileName}
                  </Link>
                  <span className="block text-second text-quiet">{statementPeriod(t, file)}</span>
                </>
              ),
            },
            { head: t('statements.state'), cell: ({ state }) => <StatementState t={t} state={state} /> },
            { head: t('statements.lines'), align: 'end', isLabelled: true, cell: ({ lines }) => formatCount(lines, locale) },
            {
              head: t('statements.newLines'),
              align: 'end',
              isLabelled: true,
              cell: ({ lines, known }) => formatCount(lines - known, locale),
            },
            {
              head: t('statements.uploaded'),
              cellClass: 'whitespace-nowrap',
              cell: ({ uploadedAt, uploadedBy }) => (
                <>
                  <TimeText at={uploadedAt} />
                  <span className="block text-second text-quiet">{uploadedBy ?? t('statements.fetched')}</span>
                </>
              ),
            },
          ]}
        />
      )}
    </PageContent>
  )
}
