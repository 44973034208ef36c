import type { NextRequest } from 'next/server'
import { ok } from '#lib/result.ts'
import { totalsQuerySchema } from '#lib/schemas/finance-query.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const { reportPool, clock } = backOfficeRuntime()
  return answerData(
    { application, permission: 'total:read', schema: totalsQuerySchema, searchParams: request.nextUrl.searchParams },
    async (actor, query) => ok(await readTotals(reportPool, actor, query, clock.now())),
  )
}
