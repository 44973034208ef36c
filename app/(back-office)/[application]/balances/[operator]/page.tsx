import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { statementAddress } from '#lib/finance/finance-address.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { can } from '#lib/people/permissions.ts'
import { operatorSchema, statementQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { PageContent, type PageProps } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { StatementBoard } from './_components/statement-board.tsx'

export async function generateMetadata({ params }: PageProps<'operator'>): Promise<Metadata> {
  return { title: `${(await getT())('statement.title')} ${(await params).operator}` }
}

export default async function StatementPage({ params, searchParams }: PageProps<'operator'>) {
  const { application, operator: wanted } = await params
  const actor = await requireActor(application, 'statement:read')
  const operator = operatorSchema.safeParse(wanted)
  if (!operator.success) return notFound()
  const read = readAddress(statementQuerySchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.statement(application, operator.data)} />
  const query = read.value
  const { reportPool, clock } = backOfficeRuntime()
  const request = {
    applicationId: actor.applicationId,
    businessZone: actor.businessZone,
    operator: operator.data,
    filter: query,
    now: clock.now(),
  }
  const dates = statementAddress({ ...query, view: 'days', kind: null, page: 0 })
  const [statement, lines] = await Promise.all([
    readStatement(reportPool, request),
    query.view === 'lines' ? readStatementLines(reportPool, { ...request, kind: query.kind, page: query.page }) : undefined,
  ])
  return (
    <PageContent
      words={['statement.', 'totals.']}
      data={[
        seed(queries.statement(application, operator.data, dates), statement),
        ...(lines ? [seed(queries.statementLines(application, operator.data, statementAddress(query)), lines)] : []),
      ]}
    >
      <StatementBoard application={application} operator={operator.data} query={query} canExport={can(actor.roles, 'export:create')} />
    </PageContent>
  )
}
