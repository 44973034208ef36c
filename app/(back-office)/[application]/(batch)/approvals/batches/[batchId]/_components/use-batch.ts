import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ActionResult } from '#lib/action-result.ts'
import type { RecallObstacle } from '#lib/approvals.ts'
import type { BatchApproval, BatchDecisionRefusal, BatchDecisionResult, BatchRowFilter, BatchRowsPage } from '#lib/batch-approval.ts'
import { paths } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'

type BatchActions = {
  decide: (application: string, input: unknown) => Promise<ActionResult<BatchDecisionResult, BatchDecisionRefusal>>
  recall: (application: string, input: unknown) => Promise<ActionResult<{ count: number }, RecallObstacle | 'submitting'>>
}
export type BatchProps = { application: string; batchId: string; actions: BatchActions }

/** The batch as it is now. It refreshes while somebody reads; what they decide about is what was shown when they asked. */
export function useBatch({ application, batchId }: BatchProps) {
  const queryClient = useQueryClient()
  const { data } = useQuery({
    queryKey: queryKeys.batchApproval(application, batchId),
    queryFn: ({ signal }) => fetchData<BatchApproval>(paths.data(application, `approvals/batches/${batchId}`), signal),
  })
  return {
    batch: data,
    refresh() {
      void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
      void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
    },
  }
}

/** One page of the rows that a filter shows. */
export function useBatchRows(application: string, batchId: string, filter: BatchRowFilter, page: number) {
  const query = { filter, page }
  const { data, isPlaceholderData } = useQuery({
    queryKey: queryKeys.batchRows(application, batchId, query),
    queryFn: ({ signal }) => fetchData<BatchRowsPage>(paths.data(application, `approvals/batches/${batchId}/rows`, query), signal),
    placeholderData: keepPreviousData,
  })
  return { rows: data?.rows ?? [], total: data?.total ?? 0, isLoading: isPlaceholderData }
}

/** A row that the checker leaves out, with the reason that its maker and its history will show. */
type Exclusion = { transactionId: string; reason: string; currency: string; amount: string }

/** Rows that are left out of what is about to be validated. They stay while somebody changes the filter or the page. */
export function useExclusions() {
  const [excluded, setExcluded] = useState<ReadonlyMap<string, Exclusion>>(new Map())
  return {
    excluded,
    exclude: (exclusion: Exclusion) => setExcluded((before) => new Map(before).set(exclusion.transactionId, exclusion)),
    include: (transactionId: string) =>
      setExcluded((before) => new Map([...before].filter(([excludedId]) => excludedId !== transactionId))),
    clear: () => setExcluded(new Map()),
  }
}
export type Exclusions = ReturnType<typeof useExclusions>
