import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readBoard } from '#server/reconciliation/days/read-board.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { BoardTable } from './_components/board-table.tsx'
import { CloseTabs } from './_components/close-tabs.tsx'

export const generateMetadata = titled('frame.close')

/** Every wallet on the last fourteen days: whether a statement covers the day, and whether it ties. */
export default async function ClosePage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool, clock } = backOfficeRuntime()
  const [t, board] = await Promise.all([getT(), readBoard(pool, actor.applicationId, dayIn(actor.businessZone, clock.now()))])
  const isEmpty = board.wallets.every(({ days }) => days.every(({ state }) => state === 'none'))
  const upload = can(actor.roles, 'reconciliation:work') && (
    <ButtonLink variant="primary" href={paths.newStatement(application)}>
      {t('statements.new')}
    </ButtonLink>
  )
  return (
    <PageContent words={['close.']}>
      <PageHeader title={t('frame.close')} lead={t('close.lead')} actions={upload} />
      <CloseTabs t={t} application={application} current="board" />
      {isEmpty && <EmptyState icon="file" title={t('close.empty')} text={t('close.emptyText')} />}
      {!isEmpty && <BoardTable t={t} application={application} board={board} />}
    </PageContent>
  )
}
