import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { statementAddress } from '#lib/finance/finance-address.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { can } from '#lib/people/permissions.ts'
import { operatorSchema, statementQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { StatementBoard } from './_components/statement-board.tsx'

type Props = {
  params: Promise<{ application: string; operator: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${(await getT())('statement.title')} ${(await params).operator}` }
}

export default async function StatementPage({ params, searchParams }: Props) {
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
  const queryClient = getQueryClient()
  const dates = statementAddress({ ...query, view: 'days', kind: null, page: 0 })
  const [locale] = await Promise.all([
    readLocale(),
    queryClient.fetchQuery({
      queryKey: queryKeys.statement(application, operator.data, dates),
      queryFn: () => readStatement(reportPool, request),
    }),
    query.view === 'lines' &&
      queryClient.fetchQuery({
        queryKey: queryKeys.statementLines(application, operator.data, statementAddress(query)),
        queryFn: () => readStatementLines(reportPool, { ...request, kind: query.kind, page: query.page }),
      }),
  ])
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['statement.', 'totals.'])}>
        <StatementBoard application={application} operator={operator.data} query={query} canExport={can(actor.roles, 'export:create')} />
      </PageMessages>
    </PageData>
  )
}
