import type { NextRequest } from 'next/server'
import { err, ok } from '#lib/result.ts'
import { operatorSchema, statementQuerySchema } from '#lib/schemas/finance-query.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'

type Props = { params: Promise<{ application: string; operator: string }> }

export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, operator } = await params
  const { reportPool, clock } = backOfficeRuntime()
  return answerData(
    { application, permission: 'statement:read', schema: statementQuerySchema, searchParams: request.nextUrl.searchParams },
    async (actor, filter) => {
      const code = operatorSchema.safeParse(operator)
      if (!code.success) return err('not_found')
      return ok(
        await readStatementLines(reportPool, {
          applicationId: actor.applicationId,
          businessZone: actor.businessZone,
          operator: code.data,
          filter,
          kind: filter.kind,
          page: filter.page,
          now: clock.now(),
        }),
      )
    },
  )
}
