'use client'

import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { Kbd } from '#components/ui/display/badge.tsx'
import { PageHeader, Skeleton, Tabs } from '#components/ui/display/page.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useNow, useT, useTranslations } from '#components/ui/translations.tsx'
import { APPROVAL_PAGE_SIZE } from '#lib/approvals/approval-address.ts'
import type { ApprovalPage, ApprovalQueue } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { ApprovalTable } from './approval-table.tsx'
import { BoardPanel, BULK_BAR } from './board-panel.tsx'
import { BoardContext, type BoardProps, useBoard, useBoardFocus, useBoardKeys } from './use-board.ts'

/** Rendered on the server; links and popovers work before its script has arrived. */
const FILTERS = definePart(() => import('./filters/approval-filters.tsx'))
const BATCHES = definePart(() => import('./batch-items.tsx'))
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
        {list.page.batches.length > 0 && (
          <LazyPart part={BATCHES} props={{ application, batches: list.page.batches, isMade: queue === 'made' }} />
        )}
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

/** Title, how many wait since when, and the queues with their counts. */
function BoardHead({
  application,
  queue,
  queues,
  page,
}: {
  application: string
  queue: ApprovalQueue
  queues: readonly ApprovalQueue[]
  page: ApprovalPage
}) {
  const { t, locale, timeZone } = useTranslations()
  const now = useNow()
  const { counts, oldestAt } = page
  const oldest = oldestAt === null ? null : new Date(oldestAt)
  const since = oldest && formatTime(t, timeZone, oldest, now.getTime() - oldest.getTime() < DAY_MS ? 'time' : 'day-time')
  const leadText = () => {
    if (counts.mine === 0 && counts.made > 0) return t('approvals.leadMade', { count: counts.made })
    return since && counts.mine > 0 ? t('approvals.lead', { count: counts.mine, since }) : t('approvals.leadNone')
  }
  return (
    <>
      <div className="flex items-end justify-between gap-4">
        <PageHeader title={t('frame.approvals')} lead={leadText()} />
        <KeyHints canDecide={queue === 'mine'} />
      </div>
      <div className="pt-3">
        <Tabs
          label={t('approvals.queues')}
          tabs={queues.map((each) => ({
            href: paths.approvals(application, { queue: each === 'mine' ? null : each }),
            label: t(`approvals.queue.${each}`),
            count: each === 'decided' ? undefined : formatCount(counts[each], locale),
            isCurrent: each === queue,
          }))}
        />
      </div>
    </>
  )
}

/** The keys of this page, for those who have a keyboard. */
function KeyHints({ canDecide }: { canDecide: boolean }) {
  const { t } = useTranslations()
  const hints = [
    { words: t('approvals.hint.move'), keys: ['J', 'K'] },
    ...(canDecide
      ? [
          { words: t('approvals.validate'), keys: ['V'] },
          { words: t('approvals.reject'), keys: ['R'] },
          { words: t('approvals.hint.select'), keys: ['X'] },
        ]
      : []),
  ]
  return (
    <p className="hidden gap-3 text-second whitespace-nowrap text-quiet xl:flex">
      {hints.map((hint) => (
        <span key={hint.words} className="flex items-center gap-1">
          {hint.words}
          {hint.keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      ))}
    </p>
  )
}
