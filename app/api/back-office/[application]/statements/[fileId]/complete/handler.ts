import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err } from '#lib/result.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerUpload } from '#server/back-office/upload-route.ts'
import { finishUpload } from '#server/reconciliation/statements/upload-statement.ts'

type Props = { params: Promise<{ application: string; fileId: string }> }

/** Completes an upload; a worker reads the file. Answers the file, which may be an earlier upload of the same content. */
export async function POST(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, fileId } = await params
  return answerUpload(request, { application, permission: 'reconciliation:work', schema: z.strictObject({}) }, async (actor) =>
    z.uuid().safeParse(fileId).success
      ? finishUpload(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, fileId })
      : err('not_found'),
  )
}
