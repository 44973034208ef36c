'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { progressText, reasonText } from '#components/domain/approval-reason.tsx'
import { DecisionControls, type DecisionControlsProps } from '#components/domain/decision-controls.tsx'
import { useWords } from '#components/ui/words.tsx'
import { queryKeys } from '#lib/query-keys.ts'

/** Why the transaction waits, and Validate and Reject, or why not, on its own page. */
export function ApprovalDecision({ application, row, actions }: Omit<DecisionControlsProps, 'onDecided'>) {
  const { t, locale } = useWords()
  const router = useRouter()
  const queryClient = useQueryClient()
  function refresh() {
    void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
    void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
    router.refresh()
  }
  return (
    <div className="no-print mb-5 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface px-4 py-3">
      <p>
        {reasonText(t, locale, row)}
        <span className="block text-second text-quiet">{progressText(t, row)}</span>
      </p>
      <DecisionControls application={application} row={row} actions={actions} onDecided={refresh} />
    </div>
  )
}
