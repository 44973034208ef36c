import type { NextRequest } from 'next/server'
import { ok } from '#lib/result.ts'
import { beneficiaryQuerySchema } from '#lib/schemas/payment.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { suggestBeneficiaries } from '#server/reports/customers/suggest-beneficiaries.ts'

/** As many as fit below a field. */
const SUGGESTIONS_MAX = 5

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'transaction:create', schema: beneficiaryQuerySchema, searchParams: request.nextUrl.searchParams },
    async (actor, { q, type }) =>
      ok(await suggestBeneficiaries(backOfficeRuntime().reportPool, actor.applicationId, { typed: q, type }, SUGGESTIONS_MAX)),
  )
}
