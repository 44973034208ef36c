import type { NextRequest } from 'next/server'
import { ok } from '#lib/result.ts'
import { overviewQuerySchema } from '#lib/schemas/finance-query.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const { reportPool, clock } = backOfficeRuntime()
  return answerData(
    { application, permission: 'overview:read', schema: overviewQuerySchema, searchParams: request.nextUrl.searchParams },
    async (actor, { days }) => ok(await readOverview(reportPool, actor, days, clock.now())),
  )
}
