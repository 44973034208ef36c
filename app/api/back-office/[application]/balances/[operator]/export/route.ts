import type { NextRequest } from 'next/server'
import type { Translate } from '#lib/i18n/translate.ts'
import { operatorSchema, statementQuerySchema } from '#lib/schemas/finance-query.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { answerCsv } from '#server/http/back-office/answer-csv.ts'
import { backOfficeRuntime } from '#server/http/back-office/back-office-runtime.ts'
import { getT } from '#server/http/back-office/preferences.ts'
import { refuseRequest } from '#server/http/back-office/refuse-request.ts'
import { type TableCell, writeTableCsv } from '#server/reports/export/table-csv.ts'
import { type LinesRequest, readStatement, readStatementLines, type StatementRequest } from '#server/reports/read-statement.ts'

/** A statement of lines that is longer than this is asked for in parts. */
const LINES_MAX = 50_000

type Props = { params: Promise<{ application: string; operator: string }> }

/** The statement of one operator as a file: its days, or its lines, as the page shows them. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const read = readExactAddress(statementQuerySchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const filter = read.value
  const { application, operator } = await params
  return answerCsv(
    { application, permission: 'statement:read', fileName: `statement-${application}-${operator.replace(/\W/g, '')}` },
    async (actor) => {
      const code = operatorSchema.safeParse(operator)
      if (!code.success) return null
      const asked = { applicationId: actor.applicationId, operator: code.data, filter, now: backOfficeRuntime().clock.now() }
      const t = await getT()
      return filter.view === 'lines' ? writeLines({ ...asked, kind: filter.kind, page: 1, size: LINES_MAX }, t) : writeDays(asked, t)
    },
  )
}

async function writeDays(asked: StatementRequest, t: Translate): Promise<string> {
  const statement = await readStatement(backOfficeRuntime().reportPool, asked)
  const opening: TableCell[] = [
    { text: t('statement.opening') },
    ...blanks(8),
    { decimal: statement.opening.total },
    { text: statement.currency },
  ]
  return writeTableCsv(
    [
      t('totals.day'),
      t('statement.lines'),
      t('statement.collected'),
      t('statement.funded'),
      t('statement.corrected'),
      t('statement.paid'),
      t('statement.fees'),
      t('statement.placed'),
      t('statement.released'),
      t('statement.closing'),
      t('totals.currency'),
    ],
    [
      opening,
      ...statement.days.map((day): TableCell[] => [
        { text: day.day },
        { decimal: String(day.count) },
        ...[day.collected, day.funded, day.corrected, day.paid, day.fees, day.placed, day.released, day.closing.total].map((decimal) => ({
          decimal,
        })),
        { text: statement.currency },
      ]),
    ],
  )
}

async function writeLines(asked: LinesRequest, t: Translate): Promise<string> {
  const { lines, total } = await readStatementLines(backOfficeRuntime().reportPool, asked)
  const rest: TableCell[][] = total > lines.length ? [[{ text: t('statement.tooLong', { count: LINES_MAX }) }, ...blanks(8)]] : []
  return writeTableCsv(
    [
      t('statement.timeUtc'),
      t('statement.movement'),
      t('statement.transactionId'),
      t('statement.customer'),
      t('statement.reason'),
      t('statement.account.collect'),
      t('statement.account.deposit'),
      t('statement.account.held'),
      t('statement.fees'),
    ],
    [
      ...lines.map((line): TableCell[] => [
        { text: line.at },
        { text: t(`statement.kind.${line.kind}`) },
        { text: line.transactionId ?? '' },
        { text: line.customerName ?? '' },
        { text: line.reason ?? '' },
        ...[line.collect, line.deposit, line.held, line.fees].map((decimal) => ({ decimal })),
      ]),
      ...rest,
    ],
  )
}

function blanks(count: number): TableCell[] {
  return Array.from({ length: count }, () => ({ text: '' }))
}
