import { approvalQuery } from '#lib/approvals/approval-address.ts'
import { APPROVAL_QUEUES, type ApprovalQueue } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import type { Role } from '#lib/people/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { daysWords } from '#lib/time/format-time.ts'
import { listApprovals, readApproval } from '#server/approvals/queue/queue.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { DeputyNotice } from '../_components/deputies/deputy-notice.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { ApprovalBoard } from './_components/approval-board.tsx'
import { decideTransactions, recallWaiting } from './actions.ts'

export const generateMetadata = titled('frame.approvals')

/** People who cannot decide start with their own items, or with those that wait for others: nothing is ever theirs to decide. */
function startQueue(queue: ApprovalQueue, roles: readonly Role[], decides: boolean): ApprovalQueue {
  if (queue !== 'mine' || decides) return queue
  return roles.includes('maker') ? 'made' : 'others'
}

export default async function ApprovalsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'approval:read')
  const read = readAddress(approvalFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.approvals(application)} />
  const decides = actor.roles.includes('checker') || actor.deputyFor.length > 0
  const filter = { ...read.value, queue: startQueue(read.value.queue, actor.roles, decides) }
  const query = approvalQuery(filter)
  const { pool, clock } = backOfficeRuntime()
  const page = await listApprovals(pool, actor, filter)
  const first = filter.queue === 'decided' ? undefined : page.rows[0]
  const view = first && (await readApproval(pool, actor, first.transactionId, clock.now()))
  return (
    <PageContent
      words={['approvals.', 'batches.stage', 'attachment.']}
      data={[
        seed(queries.approvalList(application, query), page),
        ...(view ? [seed(queries.approval(application, view.row.transactionId), view)] : []),
      ]}
    >
      <DeputyNotice actor={actor} />
      <ApprovalBoard
        application={application}
        queue={filter.queue}
        queues={decides ? APPROVAL_QUEUES : APPROVAL_QUEUES.filter((each) => each !== 'mine')}
        page={filter.page}
        query={query}
        actions={{ decide: decideTransactions, recall: recallWaiting }}
      />
      {filter.queue === 'decided' && (
        <p className="mt-3 text-second text-quiet">{daysWords(await getT(), actor.businessZone, actor.timeZone ?? actor.businessZone)}</p>
      )}
    </PageContent>
  )
}
