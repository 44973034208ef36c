import { withoutRepeat } from '#lib/finance/pivot.ts'
import { pivotAddress } from '#lib/finance/pivot-address.ts'
import { paths } from '#lib/pages/paths.ts'
import { seed } from '#lib/pages/queries.ts'
import { can } from '#lib/people/permissions.ts'
import { pivotQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readPreferences } from '#server/notices/notice-store.ts'
import { listViews } from '#server/people/saved-views.ts'
import { readPivot } from '#server/reports/totals/read-pivot.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { PivotBoard } from './_components/pivot-board.tsx'
import { pivotQuery } from './_components/pivot-query.ts'

export const generateMetadata = titled('totals.tabs.pivot')

export default async function PivotPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'total:read')
  const read = readAddress(pivotQuerySchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.pivot(application)} />
  const query = withoutRepeat(read.value)
  const { pool, reportPool, clock, config } = backOfficeRuntime()
  const [views, { monthly_totals: choice }, pivot] = await Promise.all([
    listViews(pool, { applicationId: actor.applicationId, personId: actor.id, list: 'totals' }),
    readPreferences(pool, actor.id),
    readPivot(reportPool, actor, query, clock.now()),
  ])
  const by = !config.mail && !config.isSandbox ? 'no_server' : choice?.delivery === 'never' ? 'not_wanted' : 'email'
  return (
    <PageContent words={['totals.', 'pivot.', 'views.']} data={[seed(pivotQuery(application, pivotAddress(query)), pivot)]}>
      <PivotBoard
        application={application}
        query={query}
        views={views}
        monthly={{ by, zone: actor.businessZone, email: actor.email }}
        canExport={can(actor.roles, 'export:create')}
      />
    </PageContent>
  )
}
