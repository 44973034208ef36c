import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSteadyRows } from '#components/table/use-steady-rows.ts'
import type { ApprovalPage, ApprovalQueue, ApprovalRow } from '#lib/approvals.ts'
import { paths, type QueryValues } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'

const NONE: readonly ApprovalRow[] = []

/** The rows of one queue and filter. They refresh while somebody works, and new ones never push the shown ones down. */
export function useApprovalList(application: string, queue: ApprovalQueue, query: QueryValues) {
  const queryClient = useQueryClient()
  const queryKey = queryKeys.approvalList(application, query)
  const { data, isError, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      fetchData(paths.data(application, 'approvals', query), hasParts<ApprovalPage>('rows', 'total', 'batches', 'counts'), signal),
    placeholderData: keepPreviousData,
  })
  const list = JSON.stringify(query)
  const { rows, heldBack, showNew } = useSteadyRows(data?.rows ?? NONE, list, isPlaceholderData)

  return {
    list,
    filter: JSON.stringify({ ...query, page: null }),
    page: data,
    rows,
    heldBack,
    showNew,
    isError,
    isFetching,
    isPlaceholderData,
    retry: () => void refetch(),
    /** Takes what was decided out of the list at once and asks the server for the truth. */
    remove(gone: ReadonlySet<string>) {
      queryClient.setQueryData<ApprovalPage>(queryKey, (before) => before && withoutRows(before, gone, queue))
      void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
      void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
    },
  }
}

export type ApprovalList = ReturnType<typeof useApprovalList>

function withoutRows(page: ApprovalPage, gone: ReadonlySet<string>, queue: ApprovalQueue): ApprovalPage {
  const rows = page.rows.filter((row) => !gone.has(row.transactionId))
  const removed = page.rows.length - rows.length
  const counts = queue === 'decided' ? page.counts : { ...page.counts, [queue]: Math.max(0, page.counts[queue] - removed) }
  return { ...page, rows, counts, total: Math.max(0, page.total - removed) }
}
