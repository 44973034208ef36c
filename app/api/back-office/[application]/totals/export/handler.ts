import type { NextRequest } from 'next/server'
import { OPERATORS } from '#lib/operators/operators.ts'
import { totalsExportSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { formatShare } from '#lib/text/format.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import type { TableRows } from '#server/reports/export/csv.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'

/** The totals per operator as a file, for the same filters as the page. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const read = readExactAddress(totalsExportSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { format, ...query } = read.value
  const { application } = await params
  const answer = { application, permission: 'export:create' as const, fileName: `totals-${application}`, format, signal: request.signal }
  return answerTable(answer, async (actor) => {
    const { reportPool, clock } = backOfficeRuntime()
    const t = await getT()
    const totals = await readTotals(reportPool, actor, query, clock.now())
    const status =
      query.basis === 'completed' ? t('status.SUCCESS') : query.status === 'ALL' ? t('totals.allStatuses') : t(`status.${query.status}`)
    async function* rows(): TableRows {
      yield totals.operators.map((row) => [
        { text: `${OPERATORS[row.operator].brand} ${t(`country.${OPERATORS[row.operator].country.name}`)}` },
        { text: row.operator },
        { day: totals.from },
        { day: totals.to },
        { text: status },
        { text: t(`totals.basis.${query.basis}`) },
        { decimal: String(row.count) },
        { decimal: row.collects },
        { decimal: row.deposits },
        ...[row.fees?.system, row.fees?.app].map((fee) => (fee === undefined ? { text: '' } : { decimal: fee })),
        { text: row.currency },
        { text: row.share === null ? '' : formatShare(row.share, 'en') },
      ])
    }
    return {
      action: 'totals.exported',
      subject: actor.applicationId,
      details: {
        timeZone: totals.zone,
        from: totals.from,
        to: totals.to,
        status: query.status,
        basis: query.basis,
        type: query.type,
        operators: query.operator,
      },
      title: t('frame.totals'),
      heads: [
        t('totals.operator'),
        t('totals.operatorCode'),
        `${t('totals.from')} (${totals.zone})`,
        `${t('totals.to')} (${totals.zone})`,
        t('totals.status'),
        t('totals.basis'),
        t('totals.transactions'),
        t('totals.collects'),
        t('totals.deposits'),
        t('totals.feesSystem'),
        t('totals.feesApp'),
        t('totals.currency'),
        t('totals.success'),
      ],
      rows: rows(),
    }
  })
}
