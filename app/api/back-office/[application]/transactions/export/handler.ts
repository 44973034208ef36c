import { unstable_rethrow } from 'next/navigation'
import { type NextRequest, NextResponse } from 'next/server'
import { z } from 'zod'
import { paths } from '#lib/pages/paths.ts'
import { EXPORT_FORMATS, LIST_COLUMNS } from '#lib/payments/transactions/transaction-exports.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { isFromAnotherSite, refuseRequest, toFileResponse } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { describeFile } from '#server/reports/export/export-record.ts'
import { exportTransactions } from '#server/reports/export/export-transactions.ts'

const SELECTED_MAX = 1_000

const form = z.object({
  format: z.enum(EXPORT_FORMATS),
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.uuid()).min(1).max(SELECTED_MAX))
    .nullable(),
  /** In the order of the list; absent: all columns. */
  columns: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(LIST_COLUMNS)).min(1).max(LIST_COLUMNS.length))
    .nullable(),
})

/**
 * Answers a form with a file. A refusal redirects to the page of exports, which shows the reason; while the database is away, that page says
 * so and opens once it is back.
 */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  // A file with other rows than those requested would look right, so an invalid filter is an error.
  const read = readExactAddress(transactionFilterSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const filter = read.value
  const { application } = await params
  const refuse = (why: 'refused' | 'busy' | 'failed') =>
    new NextResponse(null, { status: 303, headers: { location: paths.exports(application, { refused: why }) } })
  if (isFromAnotherSite(request.headers, 'link')) return new NextResponse(null, { status: 403 })
  const runtime = backOfficeRuntime()
  try {
    const actor = await findActor(application, 'export:create')
    if (!actor.ok) return refuse('refused')
    // biome-ignore lint/plugin/no-silent-error: Not a form: refused by the schema, with 400.
    const fields = await request.formData().catch(() => new FormData())
    const input = form.safeParse({ format: fields.get('format'), ids: fields.get('ids'), columns: fields.get('columns') })
    if (!input.success) return refuseRequest(400, request)
    const { applicationId, applicationName, businessZone, id, name, roles } = actor.value
    const exported = await exportTransactions(runtime, {
      applicationId,
      applicationName,
      businessZone,
      person: { id, name, roles },
      format: input.data.format,
      filter,
      transactionIds: input.data.ids,
      columns: input.data.columns,
      t: await getT(),
    })
    if (!exported.ok) return refuse(exported.error === 'busy' ? 'busy' : 'refused')
    const { file, cutOffAt } = exported.value
    return await toFileResponse(file, describeFile(application, { format: input.data.format, cutOffAt }), request.signal)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: export', error, { message: 'An export failed before its first row' })
    return refuse('failed')
  }
}
