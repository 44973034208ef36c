import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err, ok } from '#lib/result.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { toRecordFile } from '#server/reports/export/export-record.ts'
import { findExport } from '#server/reports/export/list-exports.ts'

const noQuery = z.object({})
const uuid = z.uuid()

/** The record of an export: who, when, filter, columns, row count, totals and SHA-256. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ application: string; exportId: string }> },
): Promise<Response> {
  const { application, exportId } = await params
  return answerData(
    { application, permission: 'export:create', schema: noQuery, searchParams: request.nextUrl.searchParams },
    async (actor) => {
      const found = uuid.safeParse(exportId).success ? await findExport(backOfficeRuntime().pool, actor.applicationId, exportId) : undefined
      return found ? ok(toRecordFile(actor.applicationName, found)) : err('not_found')
    },
  )
}
