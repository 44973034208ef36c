import type { NextRequest } from 'next/server'
import { uploadSchema } from '#lib/reconciliation/statements.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerUpload } from '#server/back-office/upload-route.ts'
import { beginUpload } from '#server/reconciliation/statements/upload-statement.ts'

/** Begins the upload of an operator's statement, or continues one; answers its id and the pieces that are there. */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const route = { application, permission: 'reconciliation:work' as const, schema: uploadSchema }
  return answerUpload(request, route, async (actor, { modified, ...file }) =>
    beginUpload(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, ...file, modifiedMs: modified }),
  )
}
