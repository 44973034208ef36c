import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { overviewQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { OverviewBoard } from './_components/overview/overview-board.tsx'
import { PageContent, type PageProps, titled } from './_components/page-content.tsx'
import { WrongAddress } from './_components/wrong-address.tsx'

export const generateMetadata = titled('frame.overview')

export default async function OverviewPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'overview:read')
  const query = readAddress(overviewQuerySchema, await searchParams)
  if (!query.ok) return <WrongAddress href={paths.overview(application)} />
  const { days } = query.value
  const { reportPool, clock } = backOfficeRuntime()
  const overview = await readOverview(reportPool, actor, days, clock.now())
  return (
    <PageContent
      words={['overview.', 'totals.', 'approvals.risk.', 'availability.', 'transaction.failure.']}
      data={[seed(queries.overview(application, days), overview)]}
    >
      <OverviewBoard application={application} days={days} />
    </PageContent>
  )
}
