import type { NextRequest } from 'next/server'
import type { LineFilter } from '#lib/finance/finance-dto.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { operatorSchema, statementExportSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { clockIn } from '#lib/time/format-time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import type { TableCell, TableRows } from '#server/reports/export/csv.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { walkStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import type { StatementRequest } from '#server/reports/statements/statement-periods.ts'

/** Longer statements are read in parts. */
const LINES_MAX = 50_000
const DAYS_PER_BATCH = 500

type Props = { params: Promise<{ application: string; operator: string }> }

/** The statement of one operator as a file: its days, or its lines, as the page shows them. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const read = readExactAddress(statementExportSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { format, ...filter } = read.value
  const { application, operator } = await params
  const fileName = `statement-${application}-${operator.replace(/\W/g, '')}`
  return answerTable({ application, permission: 'statement:read', fileName, format, signal: request.signal }, async (actor) => {
    const code = operatorSchema.safeParse(operator)
    if (!code.success) return null
    const asked = {
      applicationId: actor.applicationId,
      businessZone: actor.businessZone,
      operator: code.data,
      filter,
      now: backOfficeRuntime().clock.now(),
    }
    const t = await getT()
    const { view, kind, dates, from, to } = filter
    return {
      action: 'statement.exported',
      subject: code.data,
      title: `${t('frame.balances')} ${code.data}`,
      details: { view, kind, timeZone: asked.businessZone, ...(from === null && to === null ? { dates } : { from, to }) },
      ...(view === 'lines'
        ? { heads: lineHeads(t, asked.businessZone), rows: lineRows(asked, kind, t) }
        : { heads: dayHeads(t, asked.businessZone), rows: dayRows(asked, t) }),
    }
  })
}

function dayHeads(t: Translate, zone: string): string[] {
  return [
    `${t('totals.day')} (${zone})`,
    t('statement.lines'),
    t('statement.collected'),
    t('statement.funded'),
    t('statement.corrected'),
    t('statement.withdrawn'),
    t('statement.adjusted'),
    t('statement.paid'),
    t('statement.fees'),
    t('statement.placed'),
    t('statement.released'),
    t('statement.closing'),
    t('totals.currency'),
  ]
}

/** Every day with a movement, even where the page shows months. */
async function* dayRows(asked: StatementRequest, t: Translate): TableRows {
  const { opening, currency, days } = await readStatement(backOfficeRuntime().reportPool, asked, Number.POSITIVE_INFINITY)
  yield [[{ text: t('statement.opening') }, ...blanks(11), { decimal: opening.total }, { text: currency }]]
  for (let begin = 0; begin < days.length; begin += DAYS_PER_BATCH) {
    yield days.slice(begin, begin + DAYS_PER_BATCH).map((day): TableCell[] => [
      { day: day.day },
      { decimal: String(day.count) },
      ...[
        day.collected,
        day.funded,
        day.corrected,
        day.withdrawn,
        day.adjusted,
        day.paid,
        day.fees,
        day.placed,
        day.released,
        day.closing.total,
      ].map((decimal) => ({
        decimal,
      })),
      { text: currency },
    ])
  }
}

function lineHeads(t: Translate, zone: string): string[] {
  return [
    `${t('statement.time')} (${zone})`,
    t('statement.movement'),
    t('statement.transactionId'),
    t('statement.externalId'),
    t('statement.operatorReference'),
    t('statement.customer'),
    t('statement.phoneNumber'),
    t('statement.reason'),
    t('transaction.adjusted'),
    t('totals.amount'),
    t('statement.account.collect'),
    t('statement.account.deposit'),
    t('statement.account.held'),
    t('statement.fees'),
    t('statement.balance'),
  ]
}

async function* lineRows(asked: StatementRequest, kind: LineFilter | null, t: Translate): TableRows {
  let left = LINES_MAX
  for await (const lines of walkStatementLines(backOfficeRuntime().reportPool, { ...asked, kind }, LINES_MAX + 1)) {
    yield lines.slice(0, left).map((line): TableCell[] => [
      { clock: clockIn(asked.businessZone, new Date(line.at)) },
      { text: t(`statement.kind.${line.kind}`) },
      ...[line.transactionId, line.externalId, line.operatorReference, line.customerName, line.phoneNumber, line.reason].map((text) => ({
        text: text ?? '',
      })),
      { text: line.adjustments.map((kind) => t(`transaction.postingKind.${kind}`)).join(', ') },
      line.amount === null ? { text: '' } : { decimal: line.amount },
      ...[line.collect, line.deposit, line.held, line.fees].map((decimal) => ({ decimal })),
      line.balance === null ? { text: '' } : { decimal: line.balance },
    ])
    if (lines.length > left) yield [[{ text: t('statement.tooLong', { count: LINES_MAX }) }, ...blanks(14)]]
    left -= lines.length
  }
}

function blanks(count: number): TableCell[] {
  return Array.from({ length: count }, () => ({ text: '' }))
}
