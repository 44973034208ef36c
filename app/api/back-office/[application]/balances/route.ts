import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { ok } from '#lib/result.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'

const noQuery = z.object({})

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const { pool, clock } = backOfficeRuntime()
  return answerData(
    { application, permission: 'balance:read', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => ok(await readBalances(pool, actor, clock.now())),
  )
}
