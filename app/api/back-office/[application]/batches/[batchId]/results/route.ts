import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { formatMinor } from '#lib/money/money.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readBatchResults } from '#server/reports/batches/read-batch.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'
import type { TableRows } from '#server/reports/export/csv.ts'

type Props = { params: Promise<{ application: string; batchId: string }> }

const HEADS = [
  'row',
  'transactionId',
  'externalId',
  'operator',
  'phone',
  'name',
  'amount',
  'fees',
  'currency',
  'status',
  'place',
  'message',
  'finalAt',
  'payToken',
  'repeats',
  'repeatedAs',
] as const

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
    async function* rows(): TableRows {
      for await (const part of readBatchResults(reportPool, actor.applicationId, batchId)) {
        yield part.map((row) => [
          { text: row.rowNumber === null ? '' : String(row.rowNumber) },
          { text: row.transactionId },
          { text: row.externalId },
          { text: row.operator },
          { text: row.phoneNumber },
          { text: row.customerName },
          { decimal: formatMinor(row.amountMinor) },
          { decimal: formatMinor(row.feeMinor) },
          { text: row.currency },
          { text: row.status },
          { text: t(`batch.place.${row.place}`) },
          { text: row.message ?? '' },
          { text: row.finalAt?.toISOString() ?? '' },
          { text: row.payToken },
          { text: row.repeats ?? '' },
          { text: row.repeatedAs ?? '' },
        ])
      }
    }
    return {
      action: 'batch.exported',
      subject: batchId,
      title: t('batch.resultsTitle'),
      details: {},
      heads: HEADS.map((head) => t(`batch.head.${head}`)),
      rows: rows(),
    }
  })
}
