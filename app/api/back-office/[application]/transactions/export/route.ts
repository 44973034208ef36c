import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { EXPORT_FORMATS, type ExportFormat } from '#lib/export-formats.ts'
import { paths } from '#lib/paths.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { transactionFilterSchema } from '#lib/schemas/transaction-filter.ts'
import { findActor } from '#server/http/back-office/actor.ts'
import { backOfficeRuntime } from '#server/http/back-office/back-office-runtime.ts'
import { toFileResponse } from '#server/http/back-office/file-response.ts'
import { getT } from '#server/http/back-office/preferences.ts'
import { refuseRequest } from '#server/http/back-office/refuse-request.ts'
import { exportTransactions } from '#server/reports/export/export-transactions.ts'

const SELECTED_MAX = 1_000

const form = z.object({
  format: z.enum(EXPORT_FORMATS),
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.uuid()).min(1).max(SELECTED_MAX))
    .nullable(),
})

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/**
 * A form posts here and gets a file. A refusal leads to the page of exports, which says why; a filter that cannot be understood is 400,
 * because a file of other rows than those asked for would look right.
 */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return refuseRequest(403, request)
  const actor = await findActor(application, 'export:create')
  if (!actor.ok) return leadOn(application, 'refused')
  const filter = readExactAddress(transactionFilterSchema, request.nextUrl.searchParams)
  const fields = await request.formData().catch(() => undefined)
  const input = form.safeParse({ format: fields?.get('format'), ids: fields?.get('ids') })
  if (!filter.ok || !input.success) return refuseRequest(400, request)
  const { applicationId, applicationName, id, name, roles } = actor.value
  const exported = await exportTransactions(backOfficeRuntime(), {
    applicationId,
    applicationName,
    person: { id, name, roles },
    format: input.data.format,
    filter: filter.value,
    transactionIds: input.data.ids,
    t: await getT(),
  })
  if (!exported.ok) return leadOn(application, exported.error === 'busy' ? 'busy' : 'refused')
  const { file, cutOffAt } = exported.value
  const fileName = `transactions-${application}-${cutOffAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z.${input.data.format}`
  return toFileResponse(file, { type: TYPES[input.data.format], fileName }, request.signal)
}

/** `application` is whatever stood in the address: encoded, it stays within its segment of the path and within a header. */
function leadOn(application: string, refused: 'refused' | 'busy'): Response {
  const location = paths.exports(encodeURIComponent(application.toWellFormed()), { refused })
  return new Response(null, { status: 303, headers: { location } })
}
