import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'

const noQuery = z.object({})
const uuid = z.uuid()

export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ application: string; transactionId: string }> },
): Promise<Response> {
  const { application, transactionId } = await params
  return answerData(
    { application, permission: 'transaction:read', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const detail = uuid.safeParse(transactionId).success
        ? await readTransactionDetail(backOfficeRuntime().pool, actor.applicationId, transactionId)
        : undefined
      return detail ? ok(detail) : err('not_found')
    },
  )
}
