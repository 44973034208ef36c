'use client'

import { Customer } from '#components/domain/customer.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { StatusBadge } from '#components/domain/status-badge.tsx'
import { TypeWord } from '#components/domain/type-word.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'
import { newPaymentPath } from '#lib/payment-address.ts'
import { ApprovalProgress } from '../../transactions/_components/detail/approval-progress.tsx'
import { Timeline } from '../../transactions/_components/detail/timeline.tsx'
import { useTransaction } from '../../transactions/_components/use-transaction.ts'

/** What becomes of a payment that was sent, as it happens. */
export function PaymentResult({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const { data, isError, refetch } = useTransaction(application, transactionId)
  return (
    <>
      <PageHeader
        title={t(data ? `payment.result.${data.status}` : 'payment.result.PENDING_APPROVAL')}
        lead={t('payment.result.lead')}
        actions={
          <>
            <ButtonLink href={newPaymentPath(application)} variant="primary">
              {t('frame.newPayment')}
            </ButtonLink>
            <ButtonLink href={paths.transaction(application, transactionId)}>{t('payment.result.open')}</ButtonLink>
            {data?.isReplaceable && (
              <ButtonLink href={newPaymentPath(application, { from: transactionId })}>{t('payment.repair')}</ButtonLink>
            )}
          </>
        }
      />
      <div className="mt-5 grid gap-5">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {!data && <Skeleton className="h-60 w-full" />}
        {data && (
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,4fr)]">
            <Card className="grid content-start gap-3">
              <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Money amount={data.amount} currency={data.currency} size="figure" />
                <StatusBadge status={data.status} />
              </p>
              <p className="flex flex-wrap items-baseline gap-x-3">
                <TypeWord type={data.type} />
                <OperatorMark code={data.operator} />
              </p>
              <Customer name={data.customerName} phoneNumber={data.phoneNumber} />
              {data.status === 'FAILED' && data.message && (
                <p dir="auto" className="wrap-anywhere text-bad">
                  {data.message}
                </p>
              )}
            </Card>
            <div className="grid content-start gap-5">
              <ApprovalProgress application={application} detail={data} />
              <Timeline detail={data} />
            </div>
          </div>
        )}
      </div>
    </>
  )
}
