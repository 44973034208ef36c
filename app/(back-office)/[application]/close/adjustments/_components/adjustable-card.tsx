'use client'

import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { StatusBadge, TypeWord } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { formatPhone } from '#lib/text/format.ts'
import { AdjustButton } from '../../../funding/_components/adjust-button.tsx'

type Props = {
  application: string
  /** It is a transaction of this application, which has a page. */
  isOwn: boolean
  found: {
    ledger: string
    application: string
    transactionId: string
    operator: OperatorCode
    type: TransactionType
    status: TransactionStatus
    amountMinor: bigint
    phoneNumber: string
    createdAt: Date
    finalAt: Date | null
    adjustments: readonly AdjustmentKind[]
  }
  mayPropose: boolean
}

/** The transaction that was found, whose it is, and the button that proposes an adjustment of it. */
export function AdjustableCard({ application, isOwn, found, mayPropose }: Props) {
  const t = useT()
  const { ledger, transactionId, operator, type, status, amountMinor, phoneNumber, createdAt, finalAt, adjustments } = found
  const { currency } = OPERATORS[operator].country
  return (
    <div className="mt-3 max-w-2xl">
      <Card>
        <Facts
          nameClass="w-28"
          facts={[
            { name: t('adjustments.application'), value: <bdi>{found.application}</bdi> },
            {
              name: t('adjustments.transaction'),
              value: isOwn ? (
                <Link href={paths.transaction(application, transactionId)} className="break-all text-accent underline">
                  {transactionId}
                </Link>
              ) : (
                <span className="break-all">{transactionId}</span>
              ),
            },
            { name: t('adjustments.status'), value: <StatusBadge status={status} adjustments={adjustments} /> },
            { name: t('adjustments.amount'), value: <Money amount={formatMinor(amountMinor)} currency={currency} /> },
            {
              name: t('funding.operator'),
              value: (
                <span className="flex flex-wrap items-baseline gap-x-3">
                  <OperatorMark code={operator} />
                  <TypeWord type={type} />
                </span>
              ),
            },
            { name: t('adjustments.phone'), value: formatPhone(phoneNumber) },
            { name: t('adjustments.at'), value: <TimeText at={(finalAt ?? createdAt).toISOString()} style="full" /> },
          ]}
        />
        {finalAt === null && <p className="mt-3 text-quiet">{t('adjustments.notFinal')}</p>}
        {finalAt !== null && mayPropose && (
          <div className="mt-3">
            <AdjustButton application={application} ledger={ledger} subject={{ transactionId, status, operator }} />
          </div>
        )}
      </Card>
    </div>
  )
}
