'use client'

import { useMemo } from 'react'
import { DataTable } from '#components/table/data-table.tsx'
import { NewRows } from '#components/table/new-rows.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow } from '#lib/approvals.ts'
import { moneyText } from '#lib/format.ts'
import { useBoardContext } from './board-context.ts'
import { DECIDED_COLUMNS, DECIDED_SETTINGS, WAITING_COLUMNS, WAITING_SETTINGS } from './columns.tsx'

const EMPTY_QUEUE = definePart(() => import('./empty-queue.tsx'))

/** The list, and what came in since. */
export function ApprovalTable() {
  const { t, locale } = useTranslations()
  const { application, queue, query, list, current, selection, select, open } = useBoardContext()
  const { whole } = selection
  const isDecided = queue === 'decided'
  // A snapshot of the whole filter holds exactly its own items, not what came in since.
  const wholeIds = useMemo(() => whole && Object.fromEntries(whole.items.map((item) => [item.transactionId, true as const])), [whole])
  if (!list.page) return null
  return (
    // The list scrolls sideways where it must, which would cut a ring outside its rows; the margin keeps the selection bar off the focused row.
    <div className="relative min-w-0 [&_tr:focus-visible]:-outline-offset-2 [&_tr]:scroll-mt-4 [&_tr]:scroll-mb-56 md:[&_tr]:scroll-mb-28">
      <NewRows count={list.heldBack} onShow={list.showNew} />
      <DataTable<ApprovalRow>
        caption={t(`approvals.queue.${queue}`)}
        columns={isDecided ? DECIDED_COLUMNS : WAITING_COLUMNS}
        settings={isDecided ? DECIDED_SETTINGS : WAITING_SETTINGS}
        rows={list.rows}
        getRowId={rowId}
        currentRowId={current?.transactionId ?? null}
        onRowOpen={(row) => open(row, 'nothing')}
        isRefreshing={list.isPlaceholderData && list.isFetching}
        {...(queue === 'mine'
          ? {
              selection: wholeIds ?? { ...selection.ids },
              onSelectionChange: (ids) => select(onlyTrue(ids)),
              rowLabel: (row) => `${row.customerName}, ${moneyText(row, locale)}`,
            }
          : {})}
        empty={<LazyPart part={EMPTY_QUEUE} props={{ application, queue, query, page: list.page }} fallback={<div className="h-44" />} />}
      />
    </div>
  )
}

function rowId(row: ApprovalRow): string {
  return row.transactionId
}

function onlyTrue(ids: Readonly<Record<string, boolean>>): Record<string, true> {
  return Object.fromEntries(Object.entries(ids).flatMap(([id, isSelected]) => (isSelected ? [[id, true as const]] : [])))
}
