import type { NextRequest } from 'next/server'
import { ok } from '#lib/result.ts'
import { transactionFilterSchema } from '#lib/schemas/transaction-filter.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readTransactionList } from '#server/reports/transaction-search/read-transaction-list.ts'

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'transaction:read', schema: transactionFilterSchema, searchParams: request.nextUrl.searchParams },
    async (actor, filter) => ok(await readTransactionList(backOfficeRuntime().reportPool, actor, filter)),
  )
}
