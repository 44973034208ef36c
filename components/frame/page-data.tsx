'use client'

import { type DehydratedState, QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { createQueryClient } from '#lib/pages/query-client.ts'

type PageQuery = DehydratedState['queries'][number]

/**
 * Passes the data with which the server rendered a page to the query client: `dehydrate` of a client whose queries are complete. The library's
 * own boundary also handles mutations and queries in progress, at four times the code. Data that the browser has is replaced after the render,
 * if it is older, so that a page that is being left does not change.
 */
export function PageData({ state, children }: { state: DehydratedState; children: ReactNode }) {
  const client = useQueryClient()
  const later = useMemo(() => {
    const store = ({ queryKey, state: { data, dataUpdatedAt } }: PageQuery) =>
      client.setQueryData(queryKey, data, { updatedAt: dataUpdatedAt })
    const isNewer = ({ queryKey, state: { dataUpdatedAt } }: PageQuery) =>
      dataUpdatedAt > (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0)
    const newer = state.queries.filter(isNewer)
    for (const query of newer) if (!client.getQueryState(query.queryKey)) store(query)
    return () => {
      for (const query of newer) if (isNewer(query)) store(query)
    }
  }, [client, state])
  useEffect(later, [later])
  return children
}

/** One query client per browser tab. Pages fill it through PageData. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(createQueryClient)
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
