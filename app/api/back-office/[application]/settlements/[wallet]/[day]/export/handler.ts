import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { adjustedText } from '#components/domain/adjusted-text.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { EXPORT_FORMATS } from '#lib/payments/transactions/transaction-exports.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readSettlement, type Settlement } from '#server/reconciliation/settlements/read-settlements.ts'
import type { TableCell, TableRows } from '#server/reports/export/csv.ts'

const PAGE_SIZE = 10_000
const schema = z.object({ format: z.enum(EXPORT_FORMATS).default('csv') })

type Props = { params: Promise<{ application: string; wallet: string; day: string }> }

const text = (value: string): TableCell => ({ text: value })
const blanks = (count: number): TableCell[] => Array.from({ length: count }, () => text(''))

/** A settlement report as a file: opening, every line of the day, closing. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const read = readExactAddress(schema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { application, wallet, day } = await params
  const answer = {
    application,
    permission: 'settlement:read' as const,
    fileName: `settlement-${wallet.replace(/[^\w-]/g, '')}-${day.replace(/[^\d-]/g, '')}`,
    format: read.value.format,
    signal: request.signal,
  }
  return answerTable(answer, async ({ applicationId }) => {
    const { reportPool } = backOfficeRuntime()
    const pageOf = (page: number) => readSettlement(reportPool, applicationId, { wallet, day, page, size: PAGE_SIZE })
    const first = isUtcDay(day) ? await pageOf(0) : undefined
    if (!first) return null
    const t = await getT()
    const { version, certificateHash: certificate } = first.report
    return {
      action: 'settlement.exported',
      subject: `${wallet} ${day}`,
      title: t('frame.settlements'),
      details: { wallet, day, version, certificate },
      heads: headsOf(t),
      rows: rowsOf(t, first, pageOf),
    }
  })
}

function headsOf(t: Translate): string[] {
  return [
    t('settlements.kind'),
    t('transaction.id'),
    t('transaction.externalId'),
    t('transaction.operatorReference'),
    t('settlements.gross'),
    t('transaction.feesSystem'),
    t('transaction.feesApp'),
    t('change.fact.reference'),
    t('settlements.net'),
    `${t('settlements.completed')} (UTC)`,
    `${t('settlements.operatorTime')} (UTC)`,
    t('settlements.class'),
    t('transaction.adjusted'),
    t('totals.currency'),
  ]
}

/** A signed day does not change, so its pages fit each other. */
async function* rowsOf(t: Translate, first: Settlement, pageOf: (page: number) => Promise<Settlement | undefined>): TableRows {
  const { report, adjustments } = first
  const balance = (name: string, decimal: string) => [text(name), ...blanks(7), { decimal }, ...blanks(4), text(report.currency)]
  yield [balance(t('settlements.opening'), report.opening)]
  for (let page = 0; page * PAGE_SIZE < report.transactionCount; page++) {
    const { transactions = [] } = (page === 0 ? first : await pageOf(page)) ?? {}
    yield transactions.map((each) => [
      text(t(`type.${each.type}`)),
      ...[each.transactionId, each.externalId, each.operatorReference ?? ''].map(text),
      ...[each.gross, each.feesSystem, each.feesApp].map((decimal) => ({ decimal })),
      text(''),
      { decimal: each.net },
      { instant: each.completedAt },
      each.operatorTime === null ? text('') : { instant: each.operatorTime },
      text(t(`close.class.${each.class}`)),
      text(each.adjustments.length === 0 ? '' : adjustedText(t, each.adjustments)),
      text(report.currency),
    ])
  }
  yield adjustments.map(({ kind, transactionId, id, net, at }) => [
    text(t(kind === 'move' ? 'settlements.kind.move' : `transaction.postingKind.${kind}`)),
    text(transactionId ?? ''),
    ...blanks(5),
    text(id),
    { decimal: net },
    { instant: at },
    ...blanks(3),
    text(report.currency),
  ])
  yield [balance(t('settlements.closing'), report.closing)]
}
