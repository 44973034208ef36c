import { notFound } from 'next/navigation'
import { z } from 'zod'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { toAddressValues, toTransactionQuery } from '#lib/payments/transactions/transaction-list.ts'
import { can } from '#lib/people/permissions.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { readApproval } from '#server/approvals/queue/queue.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { DeputyNotice } from '../../_components/deputies/deputy-notice.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { HISTORY_WORDS } from '../../close/exceptions/_components/history.tsx'
import { TransactionPageBody } from '../_components/transaction-detail.tsx'

export const generateMetadata = titled('transaction.title')

/** The list that this page was opened from: its filters and page are in the address, so that a new tab knows them too. */
function listHref(application: string, list: string | string[] | undefined): string {
  const filter = readAddress(transactionFilterSchema, Object.fromEntries(new URLSearchParams(typeof list === 'string' ? list : '')))
  return paths.transactions(application, filter.ok ? toAddressValues(toTransactionQuery(filter.value)) : {})
}

export default async function TransactionPage({ params, searchParams }: PageProps<'transactionId'>) {
  const { application, transactionId } = await params
  const actor = await requireActor(application, 'transaction:read')
  if (!z.uuid().safeParse(transactionId).success) notFound()
  const { pool, clock, config } = backOfficeRuntime()
  const mayAdjust = can(actor.roles, 'adjustment:propose')
  const [detail, approval, isInstallation] = await Promise.all([
    readTransactionDetail(pool, actor.applicationId, transactionId),
    readApproval(pool, actor, transactionId, clock.now()),
    mayAdjust && runsInstallation(pool, actor.applicationId),
  ])
  if (!detail) notFound()
  return (
    <PageContent
      words={['transaction.', 'source.', 'approvals.', 'funding.', 'change.', 'attachment.', ...HISTORY_WORDS]}
      data={[
        seed(queries.transaction(application, transactionId), detail),
        ...(approval ? [seed(queries.approval(application, transactionId), approval)] : []),
      ]}
    >
      {approval?.row.canReject === true && <DeputyNotice actor={actor} />}
      <TransactionPageBody
        application={application}
        transactionId={transactionId}
        listHref={listHref(application, (await searchParams).list)}
        canResend={can(actor.roles, 'webhook:resend')}
        canCreate={can(actor.roles, 'transaction:create')}
        canInspect={config.isSandbox && can(actor.roles, 'sandbox:use')}
        ledger={isInstallation ? actor.applicationId : null}
      />
    </PageContent>
  )
}
