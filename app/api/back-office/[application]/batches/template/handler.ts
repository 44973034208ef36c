import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { toFileResponse } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { batchTemplate } from '#server/reports/batches/batch-files.ts'

const query = z.object({ format: z.enum(['csv', 'xlsx']) })
const TYPES = { csv: 'text/csv; charset=utf-8', xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }

/** An empty file with the headers that are recognised, in the language of the person. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  try {
    const actor = await findActor((await params).application, 'transaction:create')
    if (!actor.ok) return refuseData(actor.error)
    const parsed = readExactAddress(query, request.nextUrl.searchParams)
    if (!parsed.ok) return refuseData('invalid')
    const { format } = parsed.value
    return await toFileResponse(
      batchTemplate(await getT(), format),
      { type: TYPES[format], fileName: `batch-template.${format}` },
      request.signal,
    )
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: batch template', error, { message: 'A template could not be sent' })
    return refuseThrown(error)
  }
}
