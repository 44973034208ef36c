import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { toAddressValues, toTransactionQuery } from '#lib/payments/transaction-list.ts'
import { can } from '#lib/people/permissions.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { readApproval } from '#server/approvals/queue/queue.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { TransactionPageBody } from '../_components/transaction-detail.tsx'

type Props = {
  params: Promise<{ application: string; transactionId: string }>
  searchParams: Promise<{ list?: string | string[] }>
}

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('transaction.title') }
}

/** The list that this page was opened from: its filters and page are in the address, so that a new tab knows them too. */
function listHref(application: string, list: string | string[] | undefined): string {
  const filter = readAddress(transactionFilterSchema, Object.fromEntries(new URLSearchParams(typeof list === 'string' ? list : '')))
  return paths.transactions(application, filter.ok ? toAddressValues(toTransactionQuery(filter.value)) : {})
}

export default async function TransactionPage({ params, searchParams }: Props) {
  const { application, transactionId } = await params
  const actor = await requireActor(application, 'transaction:read')
  if (!z.uuid().safeParse(transactionId).success) notFound()
  const { pool, clock } = backOfficeRuntime()
  const [detail, approval, locale] = await Promise.all([
    readTransactionDetail(pool, actor.applicationId, transactionId),
    readApproval(pool, actor, transactionId, clock.now()),
    readLocale(),
  ])
  if (!detail) notFound()
  const queryClient = getQueryClient()
  queryClient.setQueryData(queryKeys.transaction(application, transactionId), detail)
  if (approval) queryClient.setQueryData(queryKeys.approval(application, transactionId), approval)
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['transaction.', 'source.', 'approvals.'])}>
        <TransactionPageBody
          application={application}
          transactionId={transactionId}
          listHref={listHref(application, (await searchParams).list)}
          canResend={can(actor.roles, 'webhook:resend')}
          canCreate={can(actor.roles, 'transaction:create')}
        />
      </PageMessages>
    </PageData>
  )
}
