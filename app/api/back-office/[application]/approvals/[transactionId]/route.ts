import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { readEvidence } from '#server/approvals/read-evidence.ts'
import { answerData } from '#server/http/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/http/back-office/back-office-runtime.ts'

const noQuery = z.object({})

/** What to know before deciding about one transaction. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ application: string; transactionId: string }> },
): Promise<Response> {
  const { application, transactionId } = await params
  return answerData(
    { application, permission: 'approval:read', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const evidence = z.uuid().safeParse(transactionId).success
        ? await readEvidence(backOfficeRuntime().pool, actor.applicationId, transactionId)
        : undefined
      return evidence ? ok(evidence) : err('not_found')
    },
  )
}
