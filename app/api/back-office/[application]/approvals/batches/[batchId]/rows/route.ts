import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { batchRowsSchema } from '#lib/schemas/batch-decision.ts'
import { listBatchRows } from '#server/approvals/read-batch.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'

type Props = { params: Promise<{ application: string; batchId: string }> }

export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, batchId } = await params
  return answerData(
    { application, permission: 'approval:read', schema: batchRowsSchema, searchParams: request.nextUrl.searchParams },
    async (actor, query) => {
      const rows = z.uuid().safeParse(batchId).success ? await listBatchRows(backOfficeRuntime().pool, actor, batchId, query) : undefined
      return rows ? ok(rows) : err('not_found')
    },
  )
}
