import type { NextRequest } from 'next/server'
import { ok } from '#lib/result.ts'
import { suggestionQuerySchema } from '#lib/schemas/suggestion-query.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { suggestMatches } from '#server/reports/customers/suggest-matches.ts'

/** As many of each kind as fit under the search box. */
const SUGGESTIONS_MAX = 6

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'transaction:read', schema: suggestionQuerySchema, searchParams: request.nextUrl.searchParams },
    async (actor, { q }) => ok(await suggestMatches(backOfficeRuntime().reportPool, actor.applicationId, q, SUGGESTIONS_MAX)),
  )
}
