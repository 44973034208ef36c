import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import type { ExceptionDetailDto } from '#lib/reconciliation/exceptions.ts'
import { formatPhone } from '#lib/text/format.ts'

type Props = { t: Translate; application: string; exception: ExceptionDetailDto }

type Figure = { name: MessageKey; theirs: ReactNode; ours: ReactNode; differs: boolean }

/** The line and the transaction side by side; what differs is marked. */
export function ComparedTable({ t, exception: { line, transaction, currency } }: Omit<Props, 'application'>) {
  const money = (amount: string) => <Money amount={amount} currency={CURRENCIES.find((each) => each === currency) ?? 'XAF'} />
  const phone = (number: string | null | undefined) => (number ? formatPhone(number) : '–')
  const isBoth = line !== null && transaction !== null
  const rows: Figure[] = [
    {
      name: 'exceptions.amount',
      theirs: line && money(line.amount),
      ours: transaction && money(transaction.amount),
      differs: isBoth && line.amount !== transaction.amount,
    },
    {
      name: 'exceptions.result',
      theirs: line?.status,
      ours: transaction && t(`status.${transaction.status}` as MessageKey),
      differs: false,
    },
    {
      name: 'exceptions.time',
      theirs: line && <TimeText at={line.at} style="full" />,
      ours: transaction && <TimeText at={transaction.at} style="full" />,
      differs: false,
    },
    {
      name: 'exceptions.reference',
      theirs: line && (line.operatorId ?? '–'),
      ours: transaction && (transaction.reference ?? '–'),
      differs: isBoth && line.operatorId !== null && transaction.reference !== null && line.operatorId !== transaction.reference,
    },
    {
      name: 'exceptions.phone',
      theirs: line && phone(line.phone),
      ours: transaction && phone(transaction.phone),
      differs: isBoth && line.phone !== null && line.phone !== transaction.phone,
    },
  ]
  return (
    <ListTable
      label={t('exceptions.evidence')}
      isList
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { head: t('exceptions.field'), cellClass: 'text-quiet', cell: ({ name }) => t(name) },
        { head: t('exceptions.atOperator'), cellClass: 'wrap-anywhere', isLabelled: true, cell: ({ theirs }) => theirs ?? '–' },
        {
          head: t('exceptions.ours'),
          isLabelled: true,
          cellClass: 'wrap-anywhere',
          cell: ({ ours, differs }) => (
            <>
              {ours ?? '–'} {differs && <Badge tone="bad">{t('exceptions.differs')}</Badge>}
            </>
          ),
        },
      ]}
    />
  )
}

/** The way to the line, its file, the transaction and the adjustment. */
export function EvidenceLinks({ t, application, exception }: Props) {
  const { line, transaction, answer, adjustment, wallet, day } = exception
  const link = (href: string, text: string) => (
    <Link href={href} className="text-accent underline">
      {text}
    </Link>
  )
  // The page of a transaction is for members of its application; a partner's is among those that can be adjusted.
  const hrefOf = (id: string) =>
    transaction?.slug === application ? paths.transaction(application, id) : paths.adjustments(application, { transaction: id })
  return (
    <Card>
      <Facts
        nameClass="w-28"
        facts={[
          {
            name: t('exceptions.line'),
            value:
              line === null || day === null
                ? t('exceptions.noLine')
                : link(paths.closeDay(application, wallet, day, { class: exception.class }), t('exceptions.lineLink')),
          },
          ...(line
            ? [{ name: t('exceptions.file'), value: link(paths.statementFile(application, line.file.fileId), line.file.name) }]
            : []),
          {
            name: t('exceptions.transaction'),
            value:
              transaction === null ? (
                t('exceptions.noTransaction')
              ) : (
                <>
                  {link(hrefOf(transaction.transactionId), transaction.transactionId)}
                  <span className="block text-second text-quiet">{transaction.application}</span>
                </>
              ),
          },
          ...(answer
            ? [
                {
                  name: t('exceptions.answer'),
                  value: (
                    <>
                      {t(`exceptions.said.${answer.said}`)} · <TimeText at={answer.at} />
                    </>
                  ),
                },
              ]
            : []),
          ...(adjustment
            ? [{ name: t('exceptions.adjustment'), value: link(paths.adjustments(application), t(`change.kind.${adjustment.kind}`)) }]
            : []),
        ]}
      />
    </Card>
  )
}
