import type { NextRequest } from 'next/server'
import { OPERATORS } from '#lib/operators/operators.ts'
import { unconfirmedExportSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { clockIn } from '#lib/time/format-time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import type { TableRows } from '#server/reports/export/csv.ts'
import { walkUnconfirmed } from '#server/reports/unconfirmed/read-unconfirmed.ts'

/** Every payment whose outcome is unknown and that fits the filter, with its owner and its notes. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const read = readExactAddress(unconfirmedExportSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { format, ...filter } = read.value
  const { application } = await params
  const answer = {
    application,
    permission: 'export:create' as const,
    fileName: `unconfirmed-${application}`,
    format,
    signal: request.signal,
  }
  return answerTable(answer, async ({ applicationId, id, businessZone }) => {
    const { reportPool, clock } = backOfficeRuntime()
    const t = await getT()
    const clockOf = (at: string | null | undefined) => (at ? { clock: clockIn(businessZone, new Date(at)) } : { text: '' })
    async function* rows(): TableRows {
      for await (const part of walkUnconfirmed(reportPool, { applicationId, viewerId: id, filter, now: clock.now() }))
        yield part.map((row) => [
          { text: row.transactionId },
          { text: t(`unconfirmed.kind.${row.kind}`) },
          clockOf(row.since),
          { text: row.operator },
          { text: OPERATORS[row.operator].brand },
          { text: t(`type.${row.type}`) },
          { decimal: row.amount },
          { text: row.currency },
          { text: row.customerName },
          { text: row.phoneNumber },
          { text: row.operatorReference ?? '' },
          clockOf(row.lastQuery?.at),
          clockOf(row.nextQueryAt),
          { text: row.owner?.name ?? '' },
          { text: row.notes.map(({ note, person }) => `${person}: ${note}`).join(' | ') },
        ])
    }
    return {
      action: 'unconfirmed.exported',
      subject: applicationId,
      details: Object.fromEntries(Object.entries(filter).filter(([name, value]) => name !== 'page' && value !== null)),
      title: t('overview.unconfirmed'),
      heads: [
        t('transactions.id'),
        t('unconfirmed.why'),
        `${t('unconfirmed.since')} (${businessZone})`,
        t('balances.operatorCode'),
        t('transactions.operator'),
        t('transactions.type'),
        t('transactions.amount'),
        t('totals.currency'),
        t('transactions.customerName'),
        t('statement.phoneNumber'),
        t('exceptions.reference'),
        `${t('unconfirmed.lastQuery')} (${businessZone})`,
        `${t('unconfirmed.nextQuery')} (${businessZone})`,
        t('exceptions.owner'),
        t('unconfirmed.comments'),
      ],
      rows: rows(),
    }
  })
}
