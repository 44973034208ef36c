import { useQuery } from '@tanstack/react-query'
import { type Payment, RiskBadges } from '#components/domain/payment.tsx'
import { Button } from '#components/ui/button.tsx'
import { Skeleton } from '#components/ui/display/page.tsx'
import { useT } from '#components/ui/translations.tsx'
import { queries } from '#lib/pages/queries.ts'
import { EvidenceLines } from './evidence-lines.tsx'

/** The evidence about a payment from the service's own records, line by line; amber marks what deserves a second look. */
export function Evidence({
  application,
  transactionId,
  payment,
}: {
  application: string
  transactionId: string
  /** Its risk flags are shown until the evidence has arrived, and where it does not. */
  payment: Pick<Payment, 'risks' | 'type'>
}) {
  const t = useT()
  const { data, isError, fetchStatus, refetch } = useQuery(queries.approval(application, transactionId))
  const title = t(data && data.row.status !== 'PENDING_APPROVAL' ? 'approvals.evidence.decidedTitle' : 'approvals.evidence.title')
  return (
    <section aria-label={title}>
      <h2 className="pb-2.5 text-second font-regular text-quiet">{title}</h2>
      {!data && (
        <div className="pb-3 empty:hidden">
          <RiskBadges payment={payment} />
        </div>
      )}
      {data ? (
        <EvidenceLines application={application} view={data} />
      ) : isError || fetchStatus === 'paused' ? (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          {t('state.partFailed')}
          <Button size="small" onClick={() => void refetch()}>
            {t('ui.retry')}
          </Button>
        </p>
      ) : (
        <Waiting />
      )}
    </section>
  )
}

function Waiting() {
  return (
    <div className="grid gap-3.5">
      {['w-64', 'w-56', 'w-60'].map((width) => (
        <div key={width} className="grid h-[38px] gap-1.5">
          <Skeleton className={`h-4 ${width}`} />
          <Skeleton className="h-3.5 w-40" />
        </div>
      ))}
    </div>
  )
}
