import { createHash } from 'node:crypto'
import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { batchUploadSchema } from '#lib/schemas/batch.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite } from '#server/back-office/file-response.ts'
import { createBatch } from '#server/batches/create-batch.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'

/**
 * A file of payments, as the body of the request; its name and what it is for are in the address. Answers the id of the batch that was
 * stored and checked, or why the file cannot be read (422). The front door limits the body (`page-body.ts`).
 */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  try {
    if (isFromAnotherSite(request.headers, 'script')) return refuseData('forbidden')
    const { application } = await params
    const actor = await findActor(application, 'transaction:create')
    if (!actor.ok) return refuseData(actor.error)
    const query = readExactAddress(batchUploadSchema, request.nextUrl.searchParams)
    // A page of another origin can send this type only after asking, which is refused.
    const isFile = request.headers.get('content-type') === 'application/octet-stream'
    if (!query.ok || !isFile) return refuseData('invalid')
    const runtime = backOfficeRuntime()
    const snapshot = runtime.directory.find(actor.value.applicationId)
    if (!snapshot) return refuseData('not_found')
    const bytes = new Uint8Array(await request.arrayBuffer())
    // The digest first: the thread that reads the file takes the bytes over.
    const fileSha256 = createHash('sha256').update(bytes).digest()
    const file = await runtime.fileReader.read(bytes, actor.value.applicationId)
    if (!file.ok)
      return file.error === 'busy' ? refuseData('unavailable') : Response.json({ code: 'unreadable', problem: file.error }, { status: 422 })
    const { type, operator, fileName, name } = query.value
    const created = await createBatch(runtime, {
      application: snapshot,
      actor: actor.value,
      name: name ?? fileName.replace(/\.[^.]{1,5}$/, ''),
      type,
      defaultOperator: operator ?? null,
      fileName,
      fileSha256,
      file: file.value,
    })
    return created.ok ? Response.json(created.value, { status: 201 }) : refuseData('forbidden')
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: batch upload', error, { message: 'A file of payments could not be stored' })
    return refuseThrown(error)
  }
}
