import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { err } from '#lib/result.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { refuseBusy, refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite, toFileResponse } from '#server/back-office/file-response.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { describeFile } from '#server/reports/export/export-record.ts'
import { openStoredFile } from '#server/reports/export/stored-file.ts'

const noQuery = z.object({})
const uuid = z.uuid()

/** The stored file of an export, byte for byte; 404 when it is not stored, 503 while too many downloads are in progress. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ application: string; exportId: string }> },
): Promise<Response> {
  try {
    // Each download leaves an audit entry: no other site may make a browser write them.
    if (isFromAnotherSite(request.headers, 'link')) return new Response(null, { status: 403 })
    const { application, exportId } = await params
    const actor = await findActor(application, 'export:create')
    if (!actor.ok) return refuseData(actor.error)
    if (!readExactAddress(noQuery, request.nextUrl.searchParams).ok) return refuseData('invalid')
    const { applicationId, id } = actor.value
    const stored = uuid.safeParse(exportId).success
      ? await openStoredFile(backOfficeRuntime(), { applicationId, personId: id, exportId })
      : err('not_found' as const)
    if (!stored.ok && stored.error === 'busy') return await refuseBusy()
    if (!stored.ok) return refuseData('not_found')
    const { record, file } = stored.value
    const { format, cutOffAt } = record
    return await toFileResponse(file, describeFile(application, { format, cutOffAt: new Date(cutOffAt) }), request.signal)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: stored export', error, { message: 'A stored export could not be sent' })
    return refuseThrown(error)
  }
}
