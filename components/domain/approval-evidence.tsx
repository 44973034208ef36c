'use client'

import { useQuery } from '@tanstack/react-query'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ApprovalView } from '#lib/approvals.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { EvidenceLines } from './evidence-lines.tsx'

/** What our own rows say about a payment, line by line; amber where somebody should look twice. */
export function Evidence({ application, transactionId }: { application: string; transactionId: string }) {
  const t = useT()
  const { data, isError } = useQuery({
    queryKey: queryKeys.approval(application, transactionId),
    queryFn: ({ signal }) => fetchData<ApprovalView>(paths.data(application, `approvals/${transactionId}`), signal),
  })
  return (
    <section aria-label={t('approvals.evidence.title')} className="border-t border-line pt-4">
      <h2 className="pb-2.5 text-second font-regular text-quiet">{t('approvals.evidence.title')}</h2>
      {data ? (
        <EvidenceLines application={application} view={data} />
      ) : isError ? (
        <p className="text-ink-2">{t('approvals.evidence.failed')}</p>
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
