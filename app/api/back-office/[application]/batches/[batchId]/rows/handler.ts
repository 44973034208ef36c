import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { ROW_FILTERS } from '#lib/batches/batches.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { refuseBusy, refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite, toFileResponse } from '#server/back-office/file-response.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { downloadRows } from '#server/reports/batches/batch-files.ts'

const query = z.object({ show: z.enum(ROW_FILTERS).optional() })
const uuid = z.uuid()
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type Params = { params: Promise<{ application: string; batchId: string }> }

/** The rows of a batch as a workbook, each with what was found about it. */
export async function GET(request: NextRequest, { params }: Params): Promise<Response> {
  try {
    // Each download leaves an audit entry: no other site may make a browser write them.
    if (isFromAnotherSite(request.headers, 'link')) return new Response(null, { status: 403 })
    const { application, batchId } = await params
    const actor = await findActor(application, 'export:create')
    if (!actor.ok) return refuseData(actor.error)
    const parsed = readExactAddress(query, request.nextUrl.searchParams)
    if (!parsed.ok) return refuseData('invalid')
    if (!uuid.safeParse(batchId).success) return refuseData('not_found')
    const { applicationId, id, timeZone } = actor.value
    const words = { t: await getT(), locale: await readLocale(), timeZone: timeZone ?? 'UTC' }
    const show = parsed.value.show ?? 'all'
    const download = await downloadRows(backOfficeRuntime(), { applicationId, personId: id, batchId, show, words })
    if (!download.ok) return download.error === 'busy' ? await refuseBusy() : refuseData('not_found')
    return await toFileResponse(download.value.file, { type: TYPE, fileName: `batch-${download.value.name}.xlsx` }, request.signal)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: batch rows', error, { message: 'The rows of a batch could not be sent' })
    return refuseThrown(error)
  }
}
