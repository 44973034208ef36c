import { Suspense } from 'react'
import { PageSkeleton } from '#components/ui/display/page.tsx'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { toAddressValues, toTransactionQuery } from '#lib/payments/transactions/transaction-list.ts'
import { can } from '#lib/people/permissions.ts'
import { type TransactionFilter, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { daysWords } from '#lib/time/format-time.ts'
import { type BackOfficeActor, requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readColumnChoice } from '#server/back-office/preferences.ts'
import { listViews } from '#server/people/saved-views.ts'
import { listMemberNames } from '#server/reports/transaction-search/search-store.ts'
import { readTransactionList } from '#server/reports/transaction-search/search-transactions.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { HISTORY_WORDS } from '../close/exceptions/_components/history.tsx'
import { TransactionList } from './_components/transaction-list.tsx'

export const generateMetadata = titled('transactions.title')

export default async function TransactionsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const [actor, t, values] = await Promise.all([requireActor(application, 'transaction:read'), getT(), searchParams])
  const filter = readAddress(transactionFilterSchema, values)
  if (!filter.ok) return <WrongAddress href={paths.transactions(application)} />
  return (
    <Suspense fallback={<PageSkeleton label={t('ui.loading')} rows={12} />}>
      <Content application={application} actor={actor} filter={filter.value} />
    </Suspense>
  )
}

async function Content({ application, actor, filter }: { application: string; actor: BackOfficeActor; filter: TransactionFilter }) {
  const query = toTransactionQuery(filter)
  const { pool, reportPool } = backOfficeRuntime()
  const [views, makers, columns, list] = await Promise.all([
    listViews(pool, { applicationId: actor.applicationId, personId: actor.id, list: 'transactions' }),
    listMemberNames(pool, actor.applicationId),
    readColumnChoice('transactions'),
    readTransactionList(reportPool, actor, filter),
  ])
  return (
    <PageContent
      words={['transactions.', 'transaction.', 'views.', 'source.', 'approvals.', 'attachment.', 'batch.place.', ...HISTORY_WORDS]}
      data={[seed(queries.transactionList(application, toAddressValues(query)), list)]}
    >
      <TransactionList
        application={application}
        query={query}
        views={views}
        makers={makers}
        columns={columns}
        may={{
          export: can(actor.roles, 'export:create'),
          resend: can(actor.roles, 'webhook:resend'),
          create: can(actor.roles, 'transaction:create'),
        }}
      />
      <p className="mt-3 text-second text-quiet">{daysWords(await getT(), actor.businessZone, actor.timeZone ?? actor.businessZone)}</p>
    </PageContent>
  )
}
