import type { NextRequest } from 'next/server'
import { z } from 'zod'
import { adjustedText } from '#components/domain/adjusted-text.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { EXPORT_FORMATS } from '#lib/payments/transactions/transaction-exports.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { clockIn } from '#lib/time/format-time.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerTable } from '#server/back-office/data-route.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { getT } from '#server/back-office/preferences.ts'
import { walkDayDifferences } from '#server/reconciliation/days/list-items.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import type { TableRows } from '#server/reports/export/csv.ts'

const schema = z.object({ format: z.enum(EXPORT_FORMATS).default('csv') })

type Props = { params: Promise<{ application: string; wallet: string; day: string }> }

/** Every line and transaction that explains why a wallet's statement differs from the ledger on a day, with their sum. */
export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const read = readExactAddress(schema, request.nextUrl.searchParams)
  if (!read.ok) return refuseRequest(400, request)
  const { application, wallet: id, day } = await params
  const answer = {
    application,
    permission: 'reconciliation:read' as const,
    fileName: `difference-${id.replace(/[^\w-]/g, '')}-${day.replace(/[^\d-]/g, '')}`,
    format: read.value.format,
    signal: request.signal,
  }
  return answerTable(answer, async ({ applicationId }) => {
    const { pool, reportPool } = backOfficeRuntime()
    const isOurs = isUtcDay(day) && (await runsInstallation(pool, applicationId))
    const wallet = isOurs ? await readWallet(pool, applicationId, id) : undefined
    if (!wallet) return null
    const t = await getT()
    const scope = { applicationId, wallet, from: day, to: day }
    const { currency } = OPERATORS[wallet.operator].country
    async function* rows(): TableRows {
      let sumMinor = 0n
      for await (const parts of walkDayDifferences(reportPool, scope)) {
        for (const { minor } of parts) sumMinor += minor
        yield parts.map((part) => [
          { clock: clockIn(scope.wallet.zone, part.at) },
          { text: t(`close.class.${part.class}`) },
          { text: part.operatorId ?? '' },
          { text: part.phone ?? '' },
          { text: part.transactionId ?? '' },
          { text: part.application ?? '' },
          { text: part.status === null ? '' : t(`status.${part.status}` as MessageKey) },
          { text: part.adjustments.length === 0 ? '' : adjustedText(t, part.adjustments) },
          { decimal: formatMinor(part.minor) },
          { text: currency },
        ])
      }
      const blanks = Array.from({ length: 6 }, () => ({ text: '' }))
      yield [[{ text: '' }, { text: t('close.term.difference') }, ...blanks, { decimal: formatMinor(sumMinor) }, { text: currency }]]
    }
    return {
      action: 'difference.exported',
      subject: `${id} ${day}`,
      title: t('close.differenceTitle'),
      details: { wallet: id, day },
      heads: [
        `${t('close.time')} (${wallet.zone})`,
        t('close.explanation'),
        t('close.reference'),
        t('statement.phoneNumber'),
        t('close.transactionId'),
        t('close.application'),
        t('transactions.status'),
        t('transaction.adjusted'),
        t('close.difference'),
        t('totals.currency'),
      ],
      rows: rows(),
    }
  })
}
