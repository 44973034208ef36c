import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { ok } from '#lib/result.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { findExportByFile } from '#server/reports/export/list-exports.ts'

const query = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) })

/** Which export made a file, by the file's SHA-256. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'export:create', schema: query, searchParams: request.nextUrl.searchParams },
    async (actor, { sha256 }) => ok({ export: (await findExportByFile(backOfficeRuntime().pool, actor.applicationId, sha256)) ?? null }),
  )
}
