'use client'

import type { ReactNode } from 'react'
import { Customer } from '#components/domain/customer.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { StatusBadge } from '#components/domain/status-badge.tsx'
import { TypeWord } from '#components/domain/type-word.tsx'
import type { TransactionDetailDto } from '#lib/transaction-detail.ts'
import { ApprovalProgress } from './detail/approval-progress.tsx'
import { Calls } from './detail/calls.tsx'
import { DetailFacts, FeeFacts } from './detail/detail-facts.tsx'
import { LedgerList } from './detail/ledger-list.tsx'
import { Lineage } from './detail/lineage.tsx'
import { StateAdvice } from './detail/state-advice.tsx'
import { SynchroniseButton } from './detail/synchronise-button.tsx'
import { Timeline } from './detail/timeline.tsx'

type TransactionDetailProps = {
  application: string
  detail: TransactionDetailDto
  canResend: boolean
  /** The viewer is a maker, who may send a returned transaction again; offered on its own page. */
  canCreate?: boolean
  isPanel?: boolean
  decision?: ReactNode
}

/** Everything about one transaction: in one column in the panel, in two on its own page and on paper. `decision`: where it waits. */
export function TransactionDetail({
  application,
  detail,
  canResend,
  canCreate = false,
  isPanel = false,
  decision,
}: TransactionDetailProps) {
  return (
    <div className={isPanel ? 'grid gap-5' : 'grid gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,4fr)] print:grid-cols-2'}>
      <div className="grid content-start gap-5">
        <Head detail={detail} />
        {decision}
        <StateAdvice detail={detail} />
        <Lineage application={application} detail={detail} canCreate={canCreate} />
        <div className="no-print flex flex-wrap gap-2 empty:hidden">
          {detail.status === 'PENDING' && <SynchroniseButton application={application} transactionId={detail.transactionId} />}
        </div>
        <DetailFacts application={application} detail={detail} />
        <FeeFacts detail={detail} />
      </div>
      <div className="grid content-start gap-5">
        <ApprovalProgress application={application} detail={detail} />
        <Timeline detail={detail} />
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
        <StatusBadge status={detail.status} />
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <TypeWord type={detail.type} />
        <OperatorMark code={detail.operator} />
      </div>
      <Customer name={detail.customerName} phoneNumber={detail.phoneNumber} />
    </div>
  )
}
