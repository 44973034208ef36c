'use client'

import { ButtonLink } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'
import { DataError } from '#lib/query-client.ts'
import { ApprovalDecision } from './detail/approval-decision.tsx'
import { TransactionDetail } from './transaction-detail.tsx'
import { useTransaction } from './use-transaction.ts'

/** A transaction beside the list. A default export, because it is loaded on demand. */
export default function TransactionPanel({
  application,
  transactionId,
  onClose,
}: {
  application: string
  transactionId: string
  onClose: () => void
}) {
  const t = useT()
  const { data, error, refetch } = useTransaction(application, transactionId)
  return (
    <Dialog title={t('transaction.title')} placement="side" onClose={onClose}>
      {data ? (
        <>
          <TransactionDetail
            application={application}
            detail={data}
            isPanel
            decision={<ApprovalDecision application={application} transactionId={transactionId} status={data.status} />}
          />
          <div className="mt-5">
            <ButtonLink href={paths.transaction(application, transactionId)}>{t('transaction.openPage')}</ButtonLink>
          </div>
        </>
      ) : error ? (
        <PanelProblem isMissing={error instanceof DataError && error.status === 404} onRetry={() => void refetch()} />
      ) : (
        <PanelSkeleton label={t('ui.loading')} />
      )}
    </Dialog>
  )
}

function PanelProblem({ isMissing, onRetry }: { isMissing: boolean; onRetry: () => void }) {
  const t = useT()
  if (isMissing) return <EmptyState icon="search" title={t('transaction.missing')} text={t('transaction.missingText')} />
  return (
    <EmptyState
      icon="alert"
      title={t('transaction.loadFailed')}
      action={
        <button type="button" onClick={onRetry} className="text-accent hover:underline">
          {t('ui.retry')}
        </button>
      }
    />
  )
}

function PanelSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="grid gap-3">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="h-5 w-32" />
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((line) => (
        <Skeleton key={line} className="h-5 w-full" />
      ))}
    </div>
  )
}
