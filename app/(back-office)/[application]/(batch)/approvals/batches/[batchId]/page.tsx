import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { batchRowsSchema } from '#lib/schemas/batch.ts'
import { listBatchRows, readBatch } from '#server/approvals/batches.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { decideWholeBatch, recallWholeBatch } from '../../../../approvals/actions.ts'
import { BatchRun } from '../../../../batches/[batchId]/_components/run/batch-run.tsx'
import { BatchReview } from './_components/batch-review.tsx'

type Props = { params: Promise<{ application: string; batchId: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('batch.title') }
}

/**
 * One batch of a file, for the people who decide about it. In a group of its own, because the approvals' loading.tsx would answer 200
 * before it is known whether the batch exists.
 */
export default async function BatchApprovalPage({ params }: Props) {
  const { application, batchId } = await params
  const actor = await requireActor(application, 'approval:read')
  if (!z.uuid().safeParse(batchId).success) notFound()
  const { pool } = backOfficeRuntime()
  const first = batchRowsSchema.parse({})
  const [locale, batch] = await Promise.all([readLocale(), readBatch(pool, actor, batchId)])
  if (!batch) notFound()
  const queryClient = getQueryClient()
  queryClient.setQueryData(queryKeys.batchApproval(application, batchId), batch)
  if (batch.count > 0) {
    queryClient.setQueryData(queryKeys.batchRows(application, batchId, first), await listBatchRows(pool, actor, batchId, first))
  }
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['approvals.', 'batch.'])}>
        <BatchReview application={application} batchId={batchId} actions={{ decide: decideWholeBatch, recall: recallWholeBatch }} />
        {batch.count < batch.rowCount && <BatchRun application={application} batchId={batchId} />}
      </PageMessages>
    </PageData>
  )
}
