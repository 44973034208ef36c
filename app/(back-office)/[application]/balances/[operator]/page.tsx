import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Link } from '#components/ui/link.tsx'
import { statementAddress } from '#lib/finance/finance-address.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { can, type Role } from '#lib/people/permissions.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { operatorSchema, statementQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
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
      <DifferenceLinks
        application={application}
        operator={operator.data}
        roles={actor.roles}
        applicationId={actor.applicationId}
        day={statement.to}
      />
    </PageContent>
  )
}

type LinksProps = { application: string; applicationId: string; operator: OperatorCode; roles: readonly Role[]; day: string }

/** Where the figures of the operator's own statement are compared with these: of its wallets, for those who close the days. */
async function DifferenceLinks({ application, applicationId, operator, roles, day }: LinksProps) {
  if (!can(roles, 'reconciliation:read') || !(await runsInstallation(backOfficeRuntime().pool, applicationId))) return null
  const t = await getT()
  const wallets = WALLETS.filter((wallet) => wallet.operator === operator)
  return (
    <nav aria-label={t('statement.difference')} className="no-print mt-4 flex flex-wrap gap-x-4 gap-y-1">
      {t('statement.difference')}
      {wallets.map(({ wallet }) => (
        <Link key={wallet} href={paths.closeDay(application, wallet, day, { class: 'difference' })} className="text-accent underline">
          {walletText(t, wallet)}, {dayText(t, day)}
        </Link>
      ))}
    </nav>
  )
}
