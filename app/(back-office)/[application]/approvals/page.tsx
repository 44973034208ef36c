import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { approvalQuery } from '#lib/approvals/approval-address.ts'
import { APPROVAL_QUEUES, type ApprovalQueue } from '#lib/approvals/approvals.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import type { Role } from '#lib/people/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { daysWords } from '#lib/time/format-time.ts'
import { listApprovals, readApproval } from '#server/approvals/queue/queue.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { ApprovalBoard } from './_components/approval-board.tsx'
import { decideTransactions, recallWaiting } from './actions.ts'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.approvals') }
}

/** People who cannot decide start with their own items, or with those that wait for others: nothing is ever theirs to decide. */
function startQueue(queue: ApprovalQueue, roles: readonly Role[]): ApprovalQueue {
  if (queue !== 'mine' || roles.includes('checker')) return queue
  return roles.includes('maker') ? 'made' : 'others'
}

export default async function ApprovalsPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'approval:read')
  const read = readAddress(approvalFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.approvals(application)} />
  const filter = { ...read.value, queue: startQueue(read.value.queue, actor.roles) }
  const query = approvalQuery(filter)
  const { pool, clock } = backOfficeRuntime()
  const queryClient = getQueryClient()
  const [locale, page] = await Promise.all([
    readLocale(),
    queryClient.fetchQuery({
      queryKey: queryKeys.approvalList(application, query),
      queryFn: () => listApprovals(pool, actor, filter),
    }),
  ])
  const first = page.rows[0]
  if (first && filter.queue !== 'decided') {
    const view = await readApproval(pool, actor, first.transactionId, clock.now())
    if (view) queryClient.setQueryData(queryKeys.approval(application, first.transactionId), view)
  }
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['approvals.'])}>
        <ApprovalBoard
          application={application}
          queue={filter.queue}
          queues={actor.roles.includes('checker') ? APPROVAL_QUEUES : APPROVAL_QUEUES.filter((each) => each !== 'mine')}
          page={filter.page}
          query={query}
          actions={{ decide: decideTransactions, recall: recallWaiting }}
        />
        {filter.queue === 'decided' && (
          <p className="mt-3 text-second text-quiet">{daysWords(await getT(), actor.businessZone, actor.timeZone ?? actor.businessZone)}</p>
        )}
      </PageMessages>
    </PageData>
  )
}
