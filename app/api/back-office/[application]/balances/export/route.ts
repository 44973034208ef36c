import { OPERATORS } from '#lib/operators.ts'
import { answerCsv } from '#server/http/back-office/answer-csv.ts'
import { backOfficeRuntime } from '#server/http/back-office/back-office-runtime.ts'
import { getT } from '#server/http/back-office/preferences.ts'
import { writeTableCsv } from '#server/reports/export/table-csv.ts'
import { readBalances } from '#server/reports/read-balances.ts'

/** The balances of all operators at one instant as a file. */
export async function GET(_: Request, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerCsv({ application, permission: 'export:create', fileName: `balances-${application}` }, async (actor) => {
    const { pool, clock } = backOfficeRuntime()
    const t = await getT()
    const { asOf, cards } = await readBalances(pool, actor.applicationId, clock.now())
    return writeTableCsv(
      [
        t('balances.operator'),
        t('balances.operatorCode'),
        t('balances.currency'),
        t('balances.collect'),
        t('balances.deposit'),
        t('balances.held'),
        t('balances.at'),
      ],
      cards.map((card) => [
        { text: `${OPERATORS[card.operator].brand} ${t(`country.${OPERATORS[card.operator].country.name}`)}` },
        { text: card.operator },
        { text: card.currency },
        { decimal: card.collect },
        { decimal: card.deposit },
        { decimal: card.held },
        { text: asOf },
      ]),
    )
  })
}
