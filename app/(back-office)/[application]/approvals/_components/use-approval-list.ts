import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ApprovalPage, ApprovalQueue } from '#lib/approvals.ts'
import { paths, type QueryValues } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { steadyRows } from '#lib/steady-rows.ts'

/** The rows of one queue and filter. They refresh while somebody works, and new ones never push the shown ones down. */
export function useApprovalList(application: string, queue: ApprovalQueue, query: QueryValues) {
  const queryClient = useQueryClient()
  const queryKey = queryKeys.approvalList(application, query)
  const { data, isError, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchData<ApprovalPage>(paths.data(application, 'approvals', query), signal),
    placeholderData: keepPreviousData,
  })
  const list = JSON.stringify(query)
  const [seen, setSeen] = useState<{ list: string; ids: ReadonlySet<string> } | null>(null)
  const { shown: rows, heldBack } = useMemo(
    () => steadyRows(data?.rows ?? [], seen?.list === list && !isPlaceholderData ? seen.ids : null),
    [data, seen, list, isPlaceholderData],
  )
  // What is shown once stays shown: adjusted while rendering, so that no frame shows something else.
  if (!isPlaceholderData && (seen?.list !== list || rows.some((row) => !seen.ids.has(row.transactionId)))) {
    setSeen({ list, ids: new Set([...(seen?.list === list ? seen.ids : []), ...rows.map((row) => row.transactionId)]) })
  }

  return {
    list,
    filter: JSON.stringify({ ...query, page: null }),
    page: data,
    rows,
    heldBack,
    showNew: () => setSeen(null),
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
