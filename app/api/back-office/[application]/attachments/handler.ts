import type { NextRequest } from 'next/server'
import { attachmentQuerySchema } from '#lib/schemas/payment.ts'
import { beginAttachment } from '#server/attachments/attach-file.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerUpload } from '#server/back-office/upload-route.ts'

/** Begins the upload of a file for a payment that a maker is writing, or continues one; answers its id and the pieces that are there. */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const route = { application, permission: 'transaction:create' as const, schema: attachmentQuerySchema }
  return answerUpload(request, route, async (actor, { payment, modified, ...file }) =>
    beginAttachment(backOfficeRuntime().pool, {
      applicationId: actor.applicationId,
      actor,
      externalId: payment,
      ...file,
      modifiedMs: modified,
    }),
  )
}
