import type { NextRequest } from 'next/server'
import { OPERATORS } from '#lib/operators/operators.ts'
import { balancesExportSchema } from '#lib/schemas/page-address.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { clockIn } from '#lib/time/format-time.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import type { TableRows } from '#server/reports/export/csv.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'

/** The balances of all operators at one instant as a file. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const read = readExactAddress(balancesExportSchema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { format } = read.value
  const { application } = await params
  const answer = { application, permission: 'export:create' as const, fileName: `balances-${application}`, format, signal: request.signal }
  return answerTable(answer, async (actor) => {
    const { pool, clock } = backOfficeRuntime()
    const t = await getT()
    const { asOf, cards } = await readBalances(pool, actor, clock.now())
    async function* rows(): TableRows {
      yield cards.map((card) => [
        { text: `${OPERATORS[card.operator].brand} ${t(`country.${OPERATORS[card.operator].country.name}`)}` },
        { text: card.operator },
        { text: card.currency },
        { decimal: card.collect },
        { decimal: card.deposit },
        { decimal: card.held },
        { clock: clockIn(actor.businessZone, new Date(asOf)) },
      ])
    }
    return {
      action: 'balances.exported',
      subject: actor.applicationId,
      details: { asOf },
      title: t('frame.balances'),
      heads: [
        t('balances.operator'),
        t('balances.operatorCode'),
        t('balances.currency'),
        t('balances.collect'),
        t('balances.deposit'),
        t('balances.held'),
        `${t('balances.at')} (${actor.businessZone})`,
      ],
      rows: rows(),
    }
  })
}
