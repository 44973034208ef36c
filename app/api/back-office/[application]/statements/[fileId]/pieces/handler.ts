import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err } from '#lib/result.ts'
import { pieceQuerySchema } from '#lib/uploads.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerUpload } from '#server/back-office/upload-route.ts'
import { storePiece } from '#server/reconciliation/statements/upload-statement.ts'

type Props = { params: Promise<{ application: string; fileId: string }> }

/** One piece of a statement, as the body of the request. The front door limits it (`pass-to-next.ts`). */
export async function POST(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, fileId } = await params
  return answerUpload(request, { application, permission: 'reconciliation:work', schema: pieceQuerySchema }, async (actor, { number }) => {
    if (!z.uuid().safeParse(fileId).success) return err('not_found')
    const bytes = new Uint8Array(await request.arrayBuffer())
    return storePiece(backOfficeRuntime().pool, { applicationId: actor.applicationId, actor, fileId, number, bytes })
  })
}
