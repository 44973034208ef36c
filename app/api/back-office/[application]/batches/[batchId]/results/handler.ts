import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { getT } from '#server/back-office/preferences.ts'
import { batchResultsTable } from '#server/reports/batches/batch-files.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'

type Props = { params: Promise<{ application: string; batchId: string }> }

/** The result of each row of a batch, as a file. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, batchId } = await params
  const answer = {
    application,
    permission: 'export:create' as const,
    fileName: `batch-${application}`,
    format: 'csv' as const,
    signal: request.signal,
  }
  return answerTable(answer, async (actor) => {
    const { reportPool } = backOfficeRuntime()
    const run = z.uuid().safeParse(batchId).success ? await readBatchRun(reportPool, actor, batchId) : undefined
    if (!run) return null
    const t = await getT()
    return {
      action: 'batch.exported',
      subject: batchId,
      title: t('batch.resultsTitle'),
      details: {},
      ...batchResultsTable(reportPool, actor.applicationId, batchId, t),
    }
  })
}
