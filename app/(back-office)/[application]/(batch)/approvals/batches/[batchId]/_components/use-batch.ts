import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ActionResult } from '#lib/action-result.ts'
import type { RecallObstacle } from '#lib/approvals.ts'
import type { BatchApproval, BatchDecisionRefusal, BatchDecisionResult, BatchRowFilter, BatchRowsPage } from '#lib/batch-approval.ts'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'
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
    queryFn: ({ signal }) =>
      fetchData(paths.data(application, `approvals/batches/${batchId}`), hasParts<BatchApproval>('statuses', 'operators', 'flags'), signal),
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
    queryFn: ({ signal }) =>
      fetchData(paths.data(application, `approvals/batches/${batchId}/rows`, query), hasParts<BatchRowsPage>('rows', 'total'), signal),
    placeholderData: keepPreviousData,
  })
  return { rows: data?.rows ?? [], total: data?.total ?? 0, isLoading: isPlaceholderData }
}
