'use client'

import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useT } from '#components/ui/translations.tsx'
import { APPROVAL_PAGE_SIZE } from '#lib/approval-address.ts'
import { paths } from '#lib/paths.ts'
import { ApprovalTable } from './approval-table.tsx'
import { BatchItems } from './batch-items.tsx'
import { BoardContext } from './board-context.ts'
import { BoardHead } from './board-head.tsx'
import { BoardPanel } from './board-panel.tsx'
import { BULK_BAR } from './bulk-bar-part.ts'
import { type BoardProps, useBoard } from './use-board.ts'
import { useBoardFocus } from './use-board-focus.ts'
import { useBoardKeys } from './use-board-keys.ts'

/** Rendered on the server; links and popovers work before its script has arrived. */
const FILTERS = definePart(() => import('./approval-filters.tsx'))
const PAGES = definePart(async () => ({ default: (await import('#components/table/pagination-bar.tsx')).PaginationBar }))

/** The approvals: queues and list, and the panel in which somebody decides. */
export function ApprovalBoard(props: BoardProps) {
  const t = useT()
  const board = useBoard(props)
  const { application, queue, query, list, selection, selected } = board
  useBoardFocus(board)
  useBoardKeys(board)
  if (!list.page) {
    return (
      <div role="status" aria-label={t('ui.loading')}>
        <Skeleton className="h-7 w-48" />
        <Skeleton className="mt-6 h-96 w-full" />
      </div>
    )
  }
  const { total } = list.page
  return (
    <div className="grid items-start gap-x-4 min-[1400px]:grid-cols-[minmax(0,1fr)_332px] print:block">
      <div className="min-w-0">
        <BoardHead application={application} queue={queue} queues={props.queues} page={list.page} />
        <a href="#approval-panel" className="sr-only focus:not-sr-only">
          {t('approvals.panel.skip')}
        </a>
        {/* On a phone one line that scrolls: what waits is what a checker came for. */}
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 max-xl:overflow-x-auto max-xl:px-1">
          <LazyPart part={FILTERS} props={{ application, query, page: list.page }} fallback={<div className="h-[30px]" />} />
        </div>
        <RefreshNotice isFailed={list.isError} onRetry={list.retry} />
        <BatchItems application={application} batches={list.page.batches} />
        <BoardContext value={board}>
          <ApprovalTable />
        </BoardContext>
        {total > APPROVAL_PAGE_SIZE && (
          <LazyPart
            part={PAGES}
            props={{
              page: props.page,
              size: APPROVAL_PAGE_SIZE,
              total,
              sizes: [APPROVAL_PAGE_SIZE],
              hrefFor: (next) => paths.approvals(application, { ...query, page: next === 0 ? null : next }),
            }}
          />
        )}
        <BoardContext value={board}>
          {selected.length > 0 && (
            <LazyPart part={BULK_BAR} props={{ total, isPageSelected: selection.whole === null && selected.length === list.rows.length }} />
          )}
        </BoardContext>
      </div>
      <BoardPanel board={board} />
    </div>
  )
}
