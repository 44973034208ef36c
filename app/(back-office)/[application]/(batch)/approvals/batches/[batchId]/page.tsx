import { notFound } from 'next/navigation'
import { z } from 'zod'
import { queries, seed } from '#lib/pages/queries.ts'
import { batchRowsSchema } from '#lib/schemas/batch.ts'
import { listBatchRows, readBatch } from '#server/approvals/batches.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { DeputyNotice } from '../../../../_components/deputies/deputy-notice.tsx'
import { PageContent, type PageProps, titled } from '../../../../_components/page-content.tsx'
import { decideWholeBatch, recallWholeBatch } from '../../../../approvals/actions.ts'
import { ListDifference } from '../../../../batches/_components/list-difference.tsx'
import { BatchRun } from '../../../../batches/[batchId]/_components/run/batch-run.tsx'
import { BatchReview } from './_components/batch-review.tsx'

export const generateMetadata = titled('batch.title')

/**
 * One batch of a file, for the people who decide about it. In a group of its own, because the approvals' loading.tsx would answer 200
 * before it is known whether the batch exists.
 */
export default async function BatchApprovalPage({ params }: PageProps<'batchId'>) {
  const { application, batchId } = await params
  const actor = await requireActor(application, 'approval:read')
  if (!z.uuid().safeParse(batchId).success) notFound()
  const { pool } = backOfficeRuntime()
  const first = batchRowsSchema.parse({})
  const batch = await readBatch(pool, actor, batchId)
  if (!batch) notFound()
  const rows = batch.count > 0 ? await listBatchRows(pool, actor, batchId, first) : undefined
  return (
    <PageContent
      words={['approvals.', 'batch.']}
      data={[
        seed(queries.batchApproval(application, batchId), batch),
        ...(rows ? [seed(queries.batchRows(application, batchId, first), rows)] : []),
      ]}
    >
      {batch.canReject === true && <DeputyNotice actor={actor} />}
      <ListDifference application={application} applicationId={actor.applicationId} batchId={batchId} />
      <BatchReview application={application} batchId={batchId} actions={{ decide: decideWholeBatch, recall: recallWholeBatch }} />
      {batch.count < batch.rowCount && <BatchRun application={application} batchId={batchId} />}
    </PageContent>
  )
}
