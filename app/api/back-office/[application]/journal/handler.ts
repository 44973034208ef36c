import type { NextRequest } from 'next/server'
import { journalFileSchema } from '#lib/reconciliation/journal.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { monthEnd, utcDayOf } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { readJournalFile } from '#server/reports/journal/read-journal-file.ts'

type Props = { params: Promise<{ application: string }> }

/** The journal entries of a period in one currency, for a bookkeeping program. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const read = readExactAddress(journalFileSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const from = read.value.from ?? `${(read.value.to ?? utcDayOf(backOfficeRuntime().clock.now())).slice(0, 7)}-01`
  const file = { ...read.value, from, to: read.value.to ?? monthEnd(from.slice(0, 7)) }
  const { application } = await params
  const fileName = `journal-${file.format}-${file.currency}-${file.from}-${file.to}`
  const answer = { application, permission: 'accounting:export' as const, fileName, format: 'csv' as const, signal: request.signal }
  return answerTable(answer, async ({ applicationId }) => {
    const { reportPool } = backOfficeRuntime()
    if (!(await runsInstallation(reportPool, applicationId))) return null
    const { bytes, facts } = await readJournalFile(reportPool, { applicationId, ...file })
    const { from, to, currency, format, language } = file
    return {
      action: 'journal.exported',
      subject: `${from} – ${to}`,
      details: { currency, program: format, language, ...facts },
      type: `text/csv; charset=${format === 'sage' ? 'windows-1252' : 'utf-8'}`,
      bytes,
    }
  })
}
