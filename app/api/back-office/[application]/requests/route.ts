import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { ok } from '#lib/result.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listRequests } from '#server/partner-auth/caller-records-queries.ts'

const noQuery = z.object({})

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'sandbox:use', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const { config, pool } = backOfficeRuntime()
      // Nothing is recorded elsewhere.
      return ok(config.isSandbox ? await listRequests(pool, actor.applicationId) : [])
    },
  )
}
