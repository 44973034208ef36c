import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { readApproval } from '#server/approvals/read-approval.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'

const noQuery = z.object({})

/** Returns one waiting transaction with this person's permissions and the evidence. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ application: string; transactionId: string }> },
): Promise<Response> {
  const { application, transactionId } = await params
  const { pool, clock } = backOfficeRuntime()
  return answerData(
    { application, permission: 'approval:read', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const isId = z.uuid().safeParse(transactionId).success
      const approval = isId ? await readApproval(pool, actor, transactionId, clock.now()) : undefined
      return approval ? ok(approval) : err('not_found')
    },
  )
}
