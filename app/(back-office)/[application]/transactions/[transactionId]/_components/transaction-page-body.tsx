'use client'

import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/icon.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ApprovalDecision } from '../../_components/detail/approval-decision.tsx'
import { TransactionDetail } from '../../_components/transaction-detail.tsx'
import { useTransaction } from '../../_components/use-transaction.ts'

type TransactionPageProps = { application: string; transactionId: string; listHref: string; canResend: boolean; canCreate: boolean }

/** The page of one transaction, refreshed while it can still change. */
export function TransactionPageBody({ application, transactionId, listHref, canResend, canCreate }: TransactionPageProps) {
  const t = useT()
  const { data, isError, refetch } = useTransaction(application, transactionId)
  return (
    <>
      <PageHeader
        title={t('transaction.title')}
        lead={<span className="break-all tabular">{transactionId}</span>}
        actions={
          <>
            <ButtonLink href={listHref}>{t('transaction.toList')}</ButtonLink>
            <Button onClick={() => print()}>
              <Icon name="printer" className="size-3.5" />
              {t('transaction.print')}
            </Button>
          </>
        }
      />
      <div className="mt-5">
        <RefreshNotice isFailed={isError && data !== undefined} onRetry={() => void refetch()} />
        {data && (
          <TransactionDetail
            application={application}
            detail={data}
            canResend={canResend}
            canCreate={canCreate}
            decision={<ApprovalDecision application={application} transactionId={transactionId} status={data.status} isPage />}
          />
        )}
      </div>
    </>
  )
}
