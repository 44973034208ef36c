import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { DataError } from '#lib/pages/query-client.ts'
import { ApprovalDecision } from './detail/approval-decision.tsx'
import { PanelSkeleton } from './panel-skeleton.tsx'
import { TransactionDetail } from './transaction-detail.tsx'
import { useTransaction } from './use-transaction.ts'

type Props = { application: string; transactionId: string; canResend: boolean; canCreate: boolean }

/** A transaction beside the list. A default export, because it is loaded on demand. */
export default function TransactionPanel({ application, transactionId, canResend, canCreate }: Props) {
  const { data, error, refetch } = useTransaction(application, transactionId)
  if (data)
    return (
      <TransactionDetail
        application={application}
        detail={data}
        canResend={canResend}
        canCreate={canCreate}
        isPanel
        decision={<ApprovalDecision application={application} detail={data} />}
      />
    )
  if (error) return <PanelProblem isMissing={error instanceof DataError && error.status === 404} onRetry={() => void refetch()} />
  return <PanelSkeleton />
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
