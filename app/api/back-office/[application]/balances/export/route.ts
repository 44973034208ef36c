import type { NextRequest } from 'next/server'
import { OPERATORS } from '#lib/operators.ts'
import { answerCsv } from '#server/back-office/answer-csv.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import type { TableRows } from '#server/reports/export/export-table.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'

/** The balances of all operators at one instant as a file. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const answer = { application, permission: 'export:create' as const, fileName: `balances-${application}`, signal: request.signal }
  return answerCsv(answer, async (actor) => {
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
        { text: asOf },
      ])
    }
    return {
      action: 'balances.exported',
      subject: actor.applicationId,
      details: { asOf },
      heads: [
        t('balances.operator'),
        t('balances.operatorCode'),
        t('balances.currency'),
        t('balances.collect'),
        t('balances.deposit'),
        t('balances.held'),
        t('balances.at'),
      ],
      rows: rows(),
    }
  })
}
