import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { ROW_PROBLEM_KINDS } from '#lib/reconciliation/statement-problem.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listBadRows, readStatementFile } from '#server/reconciliation/statements/statement-store.ts'
import type { TableRows } from '#server/reports/export/csv.ts'

type Props = { params: Promise<{ application: string; fileId: string }> }

/** The rows of a statement that could not be read, each with its number and the reason, as a file. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, fileId } = await params
  const answer = {
    application,
    permission: 'reconciliation:read' as const,
    fileName: `statement-rows-${application}`,
    format: 'csv' as const,
    signal: request.signal,
  }
  return answerTable(answer, async ({ applicationId }) => {
    const { reportPool } = backOfficeRuntime()
    const file = z.uuid().safeParse(fileId).success ? await readStatementFile(reportPool, applicationId, fileId) : undefined
    if (!file) return null
    const t = await getT()
    const reason = (problem: string) => t(`statements.row.${ROW_PROBLEM_KINDS.find((kind) => kind === problem) ?? 'error'}`)
    async function* rows(): TableRows {
      for await (const part of listBadRows(reportPool, applicationId, fileId))
        yield part.map(({ rowNumber, problem, cells }) => [
          { decimal: String(rowNumber) },
          { text: reason(problem) },
          { text: cells.join(' | ') },
        ])
    }
    return {
      action: 'statement.rows_exported',
      subject: fileId,
      title: t('statements.bad'),
      details: { name: file.fileName },
      heads: [t('statements.row'), t('statements.reason'), t('statements.cells')],
      rows: rows(),
    }
  })
}
