import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { useSteadyRows } from '#components/table/table-state.ts'
import { queries } from '#lib/pages/queries.ts'
import { type TransactionQuery, type TransactionRow, toAddressValues } from '#lib/payments/transactions/transaction-list.ts'

/** The props of every filter: the current filters, and how to change some of them. */
export type FilterProps = { query: TransactionQuery; onChange: (change: Partial<TransactionQuery>) => void }

/** Somebody who may have created a transaction. */
export type Person = { personId: string; name: string }

const REFRESH_MS = 15_000
const NO_ROWS: readonly TransactionRow[] = []

/** The list as its address names it, refreshed. New rows are counted and shown when somebody wants them. */
export function useList(application: string, query: TransactionQuery) {
  const address = toAddressValues(query)
  const { data, isError, isPlaceholderData, refetch } = useQuery({
    ...queries.transactionList(application, address),
    placeholderData: keepPreviousData,
    // Only the newest rows move; further back a page stays as it was.
    refetchInterval: query.page === 0 ? REFRESH_MS : false,
  })
  const steady = useSteadyRows(data?.rows ?? NO_ROWS, JSON.stringify(address), isPlaceholderData)
  return { ...steady, address, data, isFailed: isError && data !== undefined, isPlaceholderData, retry: () => void refetch() }
}

/** The panel is in the address (`open`), so that a link shows it and Back closes it; the list beside it is not loaded again. */
export function usePanel() {
  const pathname = usePathname()
  const openId = useSearchParams().get('open')
  const [wasOpenedHere, setWasOpenedHere] = useState(false)
  const withOpen = (transactionId: string) => {
    const next = new URLSearchParams(location.search)
    next.set('open', transactionId)
    return `${pathname}?${next}`
  }
  return {
    openId,
    /** One entry in the history, however many rows the panel then shows. */
    open(transactionId: string) {
      if (openId !== null) return history.replaceState(null, '', withOpen(transactionId))
      setWasOpenedHere(true)
      history.pushState(null, '', withOpen(transactionId))
    },
    close() {
      if (wasOpenedHere) {
        setWasOpenedHere(false)
        return history.back()
      }
      const next = new URLSearchParams(location.search)
      next.delete('open')
      history.replaceState(null, '', next.size > 0 ? `${pathname}?${next}` : pathname)
    },
  }
}

/** The selected rows, kept over pages. A selected row that is in the list is shown as it is there now. */
export function useSelection(rows: readonly TransactionRow[]) {
  const [kept, setKept] = useState<ReadonlyMap<string, TransactionRow>>(new Map())
  const present = new Map(rows.map((row) => [row.transactionId, row]))
  const selected = new Map([...kept].map(([id, row]) => [id, present.get(id) ?? row]))
  function select(ids: readonly string[]) {
    setKept(
      new Map(
        ids.flatMap((id) => {
          const row = selected.get(id) ?? present.get(id)
          return row ? [[id, row] as const] : []
        }),
      ),
    )
  }
  return {
    selected,
    select,
    toggle: ({ transactionId: id }: TransactionRow) =>
      select(selected.has(id) ? [...selected.keys()].filter((each) => each !== id) : [...selected.keys(), id]),
    clear: () => setKept(new Map()),
  }
}
