import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'

type Props = { params: Promise<{ application: string; batchId: string }> }

const nothing = z.object({})

export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, batchId } = await params
  return answerData(
    { application, permission: 'transaction:read', schema: nothing, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const run = z.uuid().safeParse(batchId).success ? await readBatchRun(backOfficeRuntime().pool, actor, batchId) : undefined
      return run ? ok(run) : err('not_found')
    },
  )
}
