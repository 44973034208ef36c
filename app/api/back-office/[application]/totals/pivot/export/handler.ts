import type { NextRequest } from 'next/server'
import { withoutRepeat } from '#lib/finance/pivot.ts'
import { pivotExportSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { pivotDetails, toPivotFile } from '#server/reports/totals/pivot-file.ts'
import { readPivot } from '#server/reports/totals/read-pivot.ts'

/** The totals as the table of the page, for the same choice; where the page has several tables, one below the other. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const read = readExactAddress(pivotExportSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { format, ...filter } = read.value
  const { application } = await params
  const answer = { application, permission: 'export:create' as const, fileName: `totals-${application}`, format, signal: request.signal }
  return answerTable(answer, async (actor) => {
    const { reportPool, clock } = backOfficeRuntime()
    const t = await getT()
    const choice = withoutRepeat(filter)
    const pivot = await readPivot(reportPool, actor, choice, clock.now())
    // The page offers no file where it has no table.
    if (pivot.problem !== null) return null
    return {
      action: 'totals.exported',
      subject: actor.applicationId,
      details: pivotDetails(pivot, choice),
      title: t('frame.totals'),
      ...toPivotFile(t, pivot, choice),
    }
  })
}
