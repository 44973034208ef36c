import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { readBatch } from '#server/approvals/read-batch.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'

type Props = { params: Promise<{ application: string; batchId: string }> }

const nothing = z.object({})

export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, batchId } = await params
  return answerData(
    { application, permission: 'approval:read', schema: nothing, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const batch = z.uuid().safeParse(batchId).success ? await readBatch(backOfficeRuntime().pool, actor, batchId) : undefined
      return batch ? ok(batch) : err('not_found')
    },
  )
}
