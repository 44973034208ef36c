import { adjustedText } from '#components/domain/adjusted-text.ts'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { addDecimals, CURRENCIES, type Currency } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import type { SettledAdjustment, SettledTransaction, SettlementDto } from '#lib/reconciliation/settlements.ts'
import { shortenId } from '#lib/text/format.ts'

/** The currency of a report. */
export function currencyOf(code: string): Currency {
  return CURRENCIES.find((each) => each === code) ?? 'XAF'
}

type Props = { t: Translate; application: string; report: SettlementDto }

/** The payments of the day with their fees, and when the operator's statement has them. */
export function TransactionTable({ t, application, report, transactions }: Props & { transactions: readonly SettledTransaction[] }) {
  const currency = currencyOf(report.currency)
  return (
    <div className="mt-6">
      <h2>{t('settlements.transactions')}</h2>
      {transactions.length === 0 && <p className="mt-1 text-quiet">{t('settlements.noTransactions')}</p>}
      {transactions.length > 0 && (
        <ListTable
          label={t('settlements.transactions')}
          className="mt-2"
          isList
          rows={transactions}
          keyOf={({ transactionId }) => transactionId}
          columns={[
            {
              head: t('settlements.transaction'),
              cell: ({ transactionId, type, operatorReference, adjustments }) => (
                <>
                  <Link href={paths.transaction(application, transactionId)} className="underline">
                    {t(`type.${type}`)} {shortenId(transactionId)}
                  </Link>
                  <span className="block text-second text-quiet wrap-anywhere">
                    {[operatorReference, adjustments.length > 0 && adjustedText(t, adjustments)].filter(Boolean).join(' · ')}
                  </span>
                </>
              ),
            },
            {
              head: t('settlements.completed'),
              isLabelled: true,
              cellClass: 'whitespace-nowrap',
              cell: ({ completedAt }) => <TimeText at={completedAt} style="day-time" />,
            },
            {
              head: t('settlements.operatorTime'),
              isLabelled: true,
              cell: ({ operatorTime, class: name }) => (
                <>
                  {operatorTime ? <TimeText at={operatorTime} style="day-time" /> : t('settlements.noLine')}
                  <span className="block text-second text-quiet">{t(`close.class.${name}`)}</span>
                </>
              ),
            },
            {
              head: t('settlements.gross'),
              align: 'end',
              isLabelled: true,
              cell: ({ gross }) => <Money amount={gross} currency={currency} />,
            },
            {
              head: t('settlements.fees'),
              align: 'end',
              isLabelled: true,
              cell: ({ feesSystem, feesApp }) => <Money amount={addDecimals(feesSystem, feesApp)} currency={currency} />,
            },
            { head: t('settlements.net'), align: 'end', isLabelled: true, cell: ({ net }) => <Money amount={net} currency={currency} /> },
          ]}
        />
      )}
    </div>
  )
}

/** Everything else that changed the balance on the day. */
export function AdjustmentTable({ t, application, report, adjustments }: Props & { adjustments: readonly SettledAdjustment[] }) {
  return (
    <div className="mt-6">
      <h2>{t('settlements.adjustments')}</h2>
      <ListTable
        label={t('settlements.adjustments')}
        className="mt-2"
        rows={adjustments}
        keyOf={({ id, kind }) => `${id} ${kind}`}
        columns={[
          {
            head: t('settlements.kind'),
            cell: ({ kind }) => t(kind === 'move' ? 'settlements.kind.move' : `transaction.postingKind.${kind}`),
          },
          {
            head: t('settlements.transaction'),
            cell: ({ transactionId }) =>
              transactionId && (
                <Link href={paths.transaction(application, transactionId)} className="underline">
                  {shortenId(transactionId)}
                </Link>
              ),
          },
          { head: t('settlements.at'), cell: ({ at }) => <TimeText at={at} style="day-time" /> },
          {
            head: t('settlements.net'),
            align: 'end',
            cell: ({ net }) => <Money amount={net} currency={currencyOf(report.currency)} />,
          },
        ]}
      />
    </div>
  )
}
