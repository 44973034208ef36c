import { totalsAddress } from '#lib/finance/finance-address.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { can } from '#lib/people/permissions.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { TotalsBoard } from './_components/totals-board.tsx'

export const generateMetadata = titled('frame.totals')

export default async function TotalsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'total:read')
  const read = readAddress(totalsQuerySchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.totals(application)} />
  const query = read.value
  const { reportPool, clock } = backOfficeRuntime()
  const totals = await readTotals(reportPool, actor, query, clock.now())
  return (
    <PageContent words={['totals.']} data={[seed(queries.totals(application, totalsAddress(query)), totals)]}>
      <TotalsBoard
        application={application}
        query={query}
        canExport={can(actor.roles, 'export:create')}
        canReadStatement={can(actor.roles, 'statement:read')}
      />
    </PageContent>
  )
}
