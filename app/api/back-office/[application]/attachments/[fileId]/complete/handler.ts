import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err } from '#lib/result.ts'
import { attachFile } from '#server/attachments/attach-file.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerUpload } from '#server/back-office/upload-route.ts'

type Props = { params: Promise<{ application: string; fileId: string }> }

/** Completes an upload: checks the file and attaches it to its payment. Answers what is attached. */
export async function POST(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, fileId } = await params
  return answerUpload(request, { application, permission: 'transaction:create', schema: z.strictObject({}) }, async (actor) =>
    z.uuid().safeParse(fileId).success
      ? attachFile(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, fileId })
      : err('not_found'),
  )
}
