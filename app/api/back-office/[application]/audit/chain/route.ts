import type { NextRequest } from 'next/server'
import { err, ok } from '#lib/result.ts'
import { auditCheckSchema } from '#lib/schemas/audit-address.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { takeChainCheck } from '#server/back-office/chain-check-limit.ts'
import { checkAuditChain } from '#server/reports/audit/check-audit-chain.ts'

/** Checks the next part of the audit chain. 503: the application has checked enough parts for now. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'audit:read', schema: auditCheckSchema, searchParams: request.nextUrl.searchParams },
    async ({ applicationId }, { after }) => {
      if (!takeChainCheck(applicationId)) return err('unavailable')
      return ok(await checkAuditChain(backOfficeRuntime().reportPool, applicationId, BigInt(after)))
    },
  )
}
