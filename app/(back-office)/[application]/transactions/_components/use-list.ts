'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSteadyRows } from '#components/table/use-steady-rows.ts'
import { paths } from '#lib/paths.ts'
import { fetchData, hasParts } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { type TransactionQuery, toAddressValues } from '#lib/transaction-query.ts'
import type { TransactionListDto, TransactionRow } from '#lib/transaction-row.ts'

const REFRESH_MS = 15_000
const NO_ROWS: readonly TransactionRow[] = []

/** The list as its address names it, refreshed. New rows are counted and shown when somebody wants them. */
export function useList(application: string, query: TransactionQuery) {
  const address = toAddressValues(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    queryKey: queryKeys.transactionList(application, address),
    queryFn: ({ signal }) =>
      fetchData(paths.data(application, 'transactions', address), hasParts<TransactionListDto>('rows', 'total', 'sums'), signal),
    placeholderData: keepPreviousData,
    // Only the newest rows move; further back a page stays as it was.
    refetchInterval: query.page === 0 ? REFRESH_MS : false,
  })
  const steady = useSteadyRows(data?.rows ?? NO_ROWS, JSON.stringify(address), isPlaceholderData)
  return { ...steady, address, data, isFailed: isError && data !== undefined, isPlaceholderData, retry: () => void refetch() }
}
