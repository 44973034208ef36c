import type { NextRequest } from 'next/server'
import { ok } from '#lib/result.ts'
import { approvalFilterSchema } from '#lib/schemas/approval-filter.ts'
import { listApprovals } from '#server/approvals/list-approvals.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const { pool } = backOfficeRuntime()
  return answerData(
    { application, permission: 'approval:read', schema: approvalFilterSchema, searchParams: request.nextUrl.searchParams },
    async (actor, filter) => ok(await listApprovals(pool, actor, filter)),
  )
}
