import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from '#components/ui/translations.tsx'
import type { RecallObstacle } from '#lib/approvals/approvals.ts'
import type { BatchApproval, BatchDecisionRefusal, BatchDecisionResult, BatchRowFilter } from '#lib/approvals/batch-approval.ts'
import { type Currency, formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { queries, queryKeys } from '#lib/pages/queries.ts'
import type { ActionResult } from '#lib/result.ts'

type BatchActions = {
  decide: (application: string, input: unknown) => Promise<ActionResult<BatchDecisionResult, BatchDecisionRefusal>>
  recall: (application: string, input: unknown) => Promise<ActionResult<{ count: number }, RecallObstacle | 'submitting'>>
}
export type BatchProps = { application: string; batchId: string; actions: BatchActions }

/** The batch as it is now. It refreshes while somebody reads; what they decide about is what was shown when they asked. */
export function useBatch({ application, batchId }: BatchProps) {
  const queryClient = useQueryClient()
  const { data } = useQuery(queries.batchApproval(application, batchId))
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
  const { data, isPlaceholderData } = useQuery({
    ...queries.batchRows(application, batchId, { filter, page }),
    placeholderData: keepPreviousData,
  })
  return { rows: data?.rows ?? [], total: data?.total ?? 0, isLoading: isPlaceholderData }
}

/** A row that the checker leaves out, with the reason that its maker and its history will show. */
type Exclusion = { transactionId: string; customerName: string; reason: string; currency: Currency; amount: string }

/**
 * Rows that are left out of what is about to be validated. They stay while somebody changes the filter or the page, and this tab keeps them
 * over a reload: going through a long batch again would invite mistakes. The server checks each of them when the decision is made.
 */
export function useExclusions(batchId: string) {
  const { readerId } = useTranslations()
  const storageKey = `exclusions ${readerId} ${batchId}`
  const [excluded, setExcluded] = useState<ReadonlyMap<string, Exclusion>>(new Map())
  const [typed, setTyped] = useState<ReadonlyMap<string, Exclusion>>(new Map())
  // After the first paint, which the server has rendered without them.
  useEffect(() => setExcluded(readKept(storageKey)), [storageKey])
  function change(next: ReadonlyMap<string, Exclusion>) {
    setExcluded(next)
    if (next.size > 0) sessionStorage.setItem(storageKey, JSON.stringify([...next.values()]))
    else sessionStorage.removeItem(storageKey)
  }
  const noteTyped = (exclusion: Exclusion | null, transactionId: string) =>
    setTyped((before) => {
      const others = [...before].filter(([id]) => id !== transactionId)
      return new Map(exclusion ? [...others, [transactionId, exclusion]] : others)
    })
  return {
    excluded,
    /** Reasons that are being typed: nobody loses one because the batch ends meanwhile. */
    typed,
    noteTyped,
    exclude(exclusion: Exclusion) {
      noteTyped(null, exclusion.transactionId)
      change(new Map(excluded).set(exclusion.transactionId, exclusion))
    },
    include: (transactionId: string) => change(new Map([...excluded].filter(([excludedId]) => excludedId !== transactionId))),
    clear() {
      setTyped(new Map())
      change(new Map())
    },
  }
}
export type Exclusions = ReturnType<typeof useExclusions>

/** The sums of a batch once the excluded rows are left out. */
export function sumsWithout(batch: BatchApproval, exclusions: Exclusions) {
  const left = [...exclusions.excluded.values()]
  return batch.sums.flatMap((sum) => {
    const own = left.filter((row) => row.currency === sum.currency)
    const minor = own.reduce((rest, row) => rest - (parseAmountMinor(row.amount) ?? 0n), parseAmountMinor(sum.amount) ?? 0n)
    return sum.count === own.length ? [] : [{ ...sum, count: sum.count - own.length, amount: formatMinor(minor) }]
  })
}

function readKept(storageKey: string): ReadonlyMap<string, Exclusion> {
  const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
  const rows = Array.isArray(kept) ? kept.filter(isExclusion) : []
  return new Map(rows.map((row) => [row.transactionId, row]))
}

/** Checked by hand: a schema would cost this page the whole of zod. */
function isExclusion(value: unknown): value is Exclusion {
  const names = ['transactionId', 'customerName', 'reason', 'currency', 'amount'] as const
  return typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'string')
}
