'use client'

import type { ReactNode } from 'react'
import { Attachment } from '#components/domain/attachment.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Customer, StatusBadge, TypeWord } from '#components/domain/payment.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ADJUSTMENT_KINDS, type AdjustmentKind } from '#lib/finance/finance-dto.ts'
import { paths } from '#lib/pages/paths.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { History } from '../../close/exceptions/_components/history.tsx'
import { AdjustButton } from '../../funding/_components/adjust-button.tsx'
import { ApprovalDecision } from './detail/approval-decision.tsx'
import { ApprovalProgress } from './detail/approval-progress.tsx'
import { Calls } from './detail/calls.tsx'
import { DetailFacts, FeeFacts, LedgerList, Lineage } from './detail/detail-facts.tsx'
import { RefundOf, Refunds } from './detail/refunds.tsx'
import { StateAdvice, SynchroniseButton } from './detail/state-advice.tsx'
import { Timeline } from './detail/timeline.tsx'
import { useTransaction } from './use-transaction.ts'

type TransactionDetailProps = {
  application: string
  detail: TransactionDetailDto
  canResend: boolean
  /** The viewer is a maker, who may send a transaction again that ended without a payment. */
  canCreate: boolean
  isPanel?: boolean
  /** The viewer may open the calls of the program. */
  canInspect?: boolean
  decision?: ReactNode
}

/** Everything about one transaction: in one column in the panel, in two on its own page and on paper. `decision`: where it waits. */
export function TransactionDetail({
  application,
  detail,
  canResend,
  canCreate,
  isPanel = false,
  canInspect = false,
  decision,
}: TransactionDetailProps) {
  const t = useT()
  return (
    <div className={isPanel ? 'grid gap-5' : 'grid gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,4fr)] print:grid-cols-2'}>
      <div className="grid content-start gap-5">
        <Head detail={detail} />
        {decision}
        <StateAdvice detail={detail} />
        <RefundOf application={application} detail={detail} />
        <Lineage application={application} detail={detail} canCreate={canCreate} />
        <div className="no-print flex flex-wrap gap-2 empty:hidden">
          {detail.status === 'PENDING' && <SynchroniseButton application={application} transactionId={detail.transactionId} />}
        </div>
        <DetailFacts application={application} detail={detail} />
        <FeeFacts detail={detail} />
        {/* While it waits, beside the decision. */}
        {(detail.status !== 'PENDING_APPROVAL' || !decision) && (
          <Attachment application={application} transactionId={detail.transactionId} attachment={detail.attachment} />
        )}
        <Refunds application={application} detail={detail} canCreate={canCreate} />
      </div>
      <div className="grid content-start gap-5">
        <ApprovalProgress application={application} detail={detail} />
        {detail.clarification && <History t={t} events={detail.clarification.events} />}
        <Timeline detail={detail} callHref={canInspect ? (requestId) => paths.call(application, requestId) : undefined} />
      </div>
      <div className={`grid min-w-0 gap-5 ${isPanel ? '' : 'lg:col-span-2 print:col-span-2'}`}>
        <Calls application={application} detail={detail} canResend={canResend} />
        <LedgerList detail={detail} />
      </div>
    </div>
  )
}

function Head({ detail }: { detail: TransactionDetailDto }) {
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Money amount={detail.amount} currency={detail.currency} size="figure" />
        <StatusBadge status={detail.status} adjustments={adjustmentsOf(detail)} />
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <TypeWord type={detail.type} />
        <OperatorMark code={detail.operator} />
      </div>
      <Customer name={detail.customerName} phoneNumber={detail.phoneNumber} />
    </div>
  )
}

function adjustmentsOf({ entries }: TransactionDetailDto): readonly AdjustmentKind[] {
  return ADJUSTMENT_KINDS.filter((kind) => entries.some((entry) => entry.kind === kind))
}

type TransactionPageProps = {
  application: string
  transactionId: string
  listHref: string
  canResend: boolean
  canCreate: boolean
  canInspect: boolean
  /** The application whose books the viewer may adjust; null: none. */
  ledger: string | null
}

/** The page of one transaction, refreshed while it can still change. */
export function TransactionPageBody({
  application,
  transactionId,
  listHref,
  canResend,
  canCreate,
  canInspect,
  ledger,
}: TransactionPageProps) {
  const t = useT()
  const { data, isError, refetch } = useTransaction(application, transactionId)
  return (
    <>
      <PageHeader
        title={t('transaction.title')}
        lead={<span className="break-all tabular">{transactionId}</span>}
        actions={
          <>
            {ledger !== null && data?.finalAt && <AdjustButton application={application} ledger={ledger} subject={data} />}
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
            canInspect={canInspect}
            decision={<ApprovalDecision application={application} detail={data} isPage />}
          />
        )}
      </div>
    </>
  )
}
