import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { ok } from '#lib/result.ts'
import { countWaiting } from '#server/approvals/count-waiting.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'

const noQuery = z.object({})

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'approval:read', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => ok({ count: (await countWaiting(backOfficeRuntime().pool, actor.applicationId, actor.id, actor.roles)).count }),
  )
}
