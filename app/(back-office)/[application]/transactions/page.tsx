import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { Suspense } from 'react'
import { PageData } from '#components/frame/page-data.tsx'
import { PageSkeleton } from '#components/ui/display/page.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { toAddressValues, toTransactionQuery } from '#lib/payments/transaction-list.ts'
import { can } from '#lib/people/permissions.ts'
import { type TransactionFilter, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { daysWords } from '#lib/time/format-time.ts'
import { type BackOfficeActor, requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readColumnChoice, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { listViews } from '#server/people/saved-views.ts'
import { listMemberNames } from '#server/reports/transaction-search/search-store.ts'
import { readTransactionList } from '#server/reports/transaction-search/search-transactions.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { TransactionList } from './_components/transaction-list.tsx'

type SearchParams = Record<string, string | string[] | undefined>
type Props = { params: Promise<{ application: string }>; searchParams: Promise<SearchParams> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('transactions.title') }
}

export default async function TransactionsPage({ params, searchParams }: Props) {
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
  const queryClient = getQueryClient()
  const [views, makers, columns, locale] = await Promise.all([
    listViews(pool, { applicationId: actor.applicationId, personId: actor.id }),
    listMemberNames(pool, actor.applicationId),
    readColumnChoice('transactions'),
    readLocale(),
    queryClient.fetchQuery({
      queryKey: queryKeys.transactionList(application, toAddressValues(query)),
      queryFn: () => readTransactionList(reportPool, actor, filter),
    }),
  ])
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['transactions.', 'transaction.', 'source.', 'approvals.'])}>
        <TransactionList
          application={application}
          query={query}
          views={views}
          makers={makers}
          columns={columns}
          may={{ export: can(actor.roles, 'export:create'), resend: can(actor.roles, 'webhook:resend') }}
        />
        <p className="mt-3 text-second text-quiet">{daysWords(await getT(), actor.businessZone, actor.timeZone ?? actor.businessZone)}</p>
      </PageMessages>
    </PageData>
  )
}
