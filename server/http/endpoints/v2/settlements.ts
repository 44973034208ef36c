import type { SettledTransaction, SettlementDto } from '#lib/reconciliation/settlements.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { jsonNumber } from '#lib/schemas/api/settlement-responses.ts'
import { PAGE_SIZE_MAX } from '#lib/schemas/fields.ts'
import { settlementListQuerySchema, settlementQuerySchema } from '#lib/schemas/queries.ts'
import { isUtcDay } from '#lib/time/time.ts'
import type { Call, PartnerEndpoint } from '#server/http/api/endpoint.ts'
import { type Refusal, refuse } from '#server/http/api/errors.ts'
import { readQuery } from '#server/http/api/read-query.ts'
import type { ApiResponse } from '#server/http/request/api-request.ts'
import { listSettlements, readSettlement, type Settlement } from '#server/reconciliation/settlements/read-settlements.ts'
import { type TableCell, tableHead, tableLines } from '#server/reports/export/csv.ts'

export const SETTLEMENTS_PATH = '/api/v2/settlement-reports'

/** Nobody has signed the day yet, or there is no such account. */
export const NO_SETTLEMENT = refuse(
  404,
  'settlement_not_found',
  'There is no signed day of this wallet: it does not exist, or nobody has signed it yet.',
)
export const BAD_DAY = refuse(400, 'day_invalid', 'day must be an ISO 8601 date, YYYY-MM-DD.')

/** GET /api/v2/settlement-reports: the signed days of accounts at operators that the caller uses, newest first. */
export const settlementReports: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'settlement-reports',
  scope: 'reports:read',
  method: 'GET',
  path: SETTLEMENTS_PATH,
  async answer({ runtime, request, caller }) {
    const query = readQuery(request, settlementListQuerySchema)
    if (!query.ok) return query
    const { from, to, wallet = null } = query.value
    return ok(JSON.stringify(await listSettlements(runtime.reportPool, caller.application.applicationId, { wallet, from, to })))
  },
}

/** GET /api/v2/settlement-reports/{wallet}/{day}: what the day did to the balance of the caller. */
const settlementReport: PartnerEndpoint = {
  kind: 'partner',
  isLimited: true,
  name: 'settlement-report',
  scope: 'reports:read',
  method: 'GET',
  path: `${SETTLEMENTS_PATH}/{wallet}/{day}`,
  answer: answerReport,
}

const REPORT_PATH = new RegExp(`^${SETTLEMENTS_PATH}/([\\w-]{1,40})/([\\w-]{1,40})$`)

/** The endpoint of one report, whatever its wallet and its day. */
export function settlementEndpointAt(path: string): PartnerEndpoint | undefined {
  return REPORT_PATH.test(path) ? settlementReport : undefined
}

async function answerReport({ runtime, request, caller }: Call): Promise<Result<string | ApiResponse, Refusal>> {
  const query = readQuery(request, settlementQuerySchema)
  if (!query.ok) return query
  const { page = 0, size = PAGE_SIZE_MAX, format = 'json' } = query.value
  const [, wallet = '', day = ''] = REPORT_PATH.exec(request.path) ?? []
  if (!isUtcDay(day)) return err(BAD_DAY)
  const found = await readSettlement(runtime.reportPool, caller.application.applicationId, { wallet, day, page, size })
  if (!found) return err(NO_SETTLEMENT)
  if (format === 'json') return ok(JSON.stringify(toJson(found, page, size)))
  const headers = { 'content-disposition': `attachment; filename="settlement-${wallet}-${day}-v${found.report.version}.csv"` }
  return ok({ status: 200, body: toCsv(found, page, size), contentType: 'text/csv; charset=utf-8', headers })
}

function toJson({ report, transactions, adjustments }: Settlement, page: number, size: number) {
  const { opening, closing, transactionCount, transactionsNet, adjustmentCount, adjustmentsNet, ...day } = report
  return {
    ...day,
    opening: jsonNumber(opening),
    closing: jsonNumber(closing),
    transactionCount,
    transactionsNet: jsonNumber(transactionsNet),
    adjustmentCount,
    adjustmentsNet: jsonNumber(adjustmentsNet),
    page,
    size,
    transactions: transactions.map(({ type, gross, feesSystem, feesApp, net, transactionId, externalId, ...each }) => ({
      transactionId,
      externalId,
      transactionType: type,
      ...each,
      gross: jsonNumber(gross),
      feesSystem: jsonNumber(feesSystem),
      feesApp: jsonNumber(feesApp),
      net: jsonNumber(net),
    })),
    adjustments: adjustments.map(({ net, ...each }) => ({ ...each, net: jsonNumber(net) })),
  }
}

const HEADS = [
  'line',
  'transactionId',
  'externalId',
  'transactionType',
  'operatorReference',
  'gross',
  'feesSystem',
  'feesApp',
  'net',
  'completedAt',
  'operatorTime',
  'class',
  'adjustments',
  'currency',
  'certificateHash',
]

/** Opening on the first page, the transactions of the page, and on the last one the adjustments and the closing: all pages are one file. */
function toCsv({ report, transactions, adjustments }: Settlement, page: number, size: number): string {
  const isLast = (page + 1) * size >= report.transactionCount
  const rows = [
    ...(page === 0 ? [balanceRow(report, 'opening', report.opening)] : []),
    ...transactions.map((each) => transactionRow(report, each)),
    ...(isLast
      ? [
          ...adjustments.map((each) => {
            const named = [text(each.kind), text(each.transactionId ?? each.id), ...blanks(6), { decimal: each.net }]
            return [...named, { instant: each.at }, ...blanks(3), ...ending(report)]
          }),
          balanceRow(report, 'closing', report.closing),
        ]
      : []),
  ]
  return tableHead(HEADS) + tableLines(rows)
}

function transactionRow(report: SettlementDto, each: SettledTransaction): TableCell[] {
  return [
    text('transaction'),
    ...[each.transactionId, each.externalId, each.type, each.operatorReference ?? ''].map(text),
    ...[each.gross, each.feesSystem, each.feesApp, each.net].map((decimal) => ({ decimal })),
    { instant: each.completedAt },
    { instant: each.operatorTime ?? '' },
    text(each.class),
    text(each.adjustments.join(' ')),
    ...ending(report),
  ]
}

function balanceRow(report: SettlementDto, name: 'opening' | 'closing', decimal: string): TableCell[] {
  return [text(name), ...blanks(7), { decimal }, ...blanks(4), ...ending(report)]
}

const text = (value: string): TableCell => ({ text: value })
const blanks = (count: number): TableCell[] => Array.from({ length: count }, () => text(''))
const ending = ({ currency, certificateHash }: SettlementDto): TableCell[] => [text(currency), text(certificateHash)]
