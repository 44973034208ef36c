'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { reasonText } from '#components/domain/approval-reason.tsx'
import type { DecideAction, RecallAction } from '#components/domain/decision-text.ts'
import { DataTable } from '#components/table/data-table.tsx'
import { PaginationBar } from '#components/table/pagination-bar.tsx'
import { RefreshNotice } from '#components/table/refresh-notice.tsx'
import { PageSkeleton } from '#components/ui/skeleton.tsx'
import { announce, toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { APPROVAL_PAGE_SIZE } from '#lib/approval-address.ts'
import type { ApprovalPage, ApprovalQueue, ApprovalRow, BulkSnapshot, DecidedItem, DecisionResult } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import { paths, type QueryValues } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'
import { queryKeys } from '#lib/query-keys.ts'
import { ApprovalFilters } from './approval-filters.tsx'
import { ApprovalPanel } from './approval-panel.tsx'
import { BoardContext, type Question } from './board-context.ts'
import { BoardHead, KeyHints } from './board-head.tsx'
import { DECIDED_COLUMNS, DECIDED_SETTINGS, WAITING_COLUMNS, WAITING_SETTINGS } from './columns.tsx'
import { Nothing } from './nothing.tsx'
import { useBoardKeys } from './use-board-keys.ts'

const BulkBar = lazy(() => import('./bulk-bar.tsx'))
const loadDecisionDialog = () => import('#components/domain/decision-dialog.tsx')
const DecisionDialog = lazy(loadDecisionDialog)
const RecallDialog = lazy(() => import('#components/domain/recall-dialog.tsx'))
const ApprovalSheet = lazy(() => import('./approval-sheet.tsx'))

/** From this width on the panel stands beside the list. */
const WIDE = '(min-width: 1400px)'

type Asked = { kind: 'validated' | 'rejected'; items: readonly DecidedItem[]; total: number } | { kind: 'recall'; row: ApprovalRow }
/** Rows one by one, or all that fitted the filter when that was asked for. Another filter means others: it ends with it. */
type Selection = { filter: string; ids: Record<string, true>; whole: BulkSnapshot | null }
const NOTHING_CHOSEN: Selection = { filter: '', ids: {}, whole: null }
/** The current row of one list by its id, and where it was, for when it is gone. Index -1: nobody has moved yet. */
type Place = { list: string; id: string | null; index: number }
const NOWHERE: Place = { list: '', id: null, index: -1 }

export type ApprovalBoardProps = {
  application: string
  queue: ApprovalQueue
  page: number
  query: QueryValues
  actions: { decide: DecideAction; recall: RecallAction }
}

/** The approvals: queues, list, panel, decisions, by pointer and by keyboard. */
export function ApprovalBoard({ application, queue, page, query, actions }: ApprovalBoardProps) {
  const { t, locale } = useTranslations()
  const queryClient = useQueryClient()
  const queryKey = queryKeys.approvalList(application, query)
  const { data, isError, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchData<ApprovalPage>(paths.data(application, 'approvals', query), signal),
    placeholderData: keepPreviousData,
  })
  const rows = useMemo(() => data?.rows ?? [], [data])
  const list = JSON.stringify(query)
  const [lastPlace, setPlace] = useState(NOWHERE)
  const place = lastPlace.list === list ? lastPlace : NOWHERE
  const [chosen, setChosen] = useState(NOTHING_CHOSEN)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [isSheetOpen, setIsSheetOpen] = useState(false)
  const focusWish = useRef(0)
  const [focusTick, setFocusTick] = useState(0)

  const foundAt = rows.findIndex((row) => row.transactionId === place.id)
  const index = foundAt >= 0 ? foundAt : Math.min(Math.max(0, place.index), rows.length - 1)
  const current = rows[index] ?? null
  const filter = JSON.stringify({ ...query, page: null })
  const { ids: selection, whole } = chosen.filter === filter ? chosen : NOTHING_CHOSEN
  const selected = useMemo(() => rows.filter((row) => selection[row.transactionId]), [rows, selection])
  const items = whole?.items ?? selected
  const canSelect = queue === 'mine'
  // What came in since is not among them.
  const wholeIds = useMemo(() => whole && Object.fromEntries(whole.items.map((item) => [item.transactionId, true as const])), [whole])

  // After a decision or a step the focus is on the row that is now the current one, or on the title when none is left.
  useEffect(() => {
    if (focusTick === focusWish.current) return
    focusWish.current = focusTick
    const target = document.getElementById(current ? `row-${current.transactionId}` : 'content')
    if (!target) return
    target.tabIndex = -1
    target.focus({ preventScroll: true })
    target.scrollIntoView({ block: 'nearest' })
  }, [focusTick, current])

  function clearSelection() {
    setChosen(NOTHING_CHOSEN)
  }

  function changeSelection(next: Record<string, true>) {
    setChosen({ filter, ids: next, whole: null })
  }

  function move(by: 1 | -1) {
    // Whoever goes through the rows by keys decides soon, and types at once.
    if (canSelect) void loadDecisionDialog()
    const next = rows[Math.max(0, Math.min(rows.length - 1, place.index < 0 && by === 1 ? 0 : index + by))]
    if (!next) return
    const nextIndex = rows.indexOf(next)
    setPlace({ list, id: next.transactionId, index: nextIndex })
    setFocusTick((tick) => tick + 1)
    announce(
      t('approvals.spoken.row', {
        position: nextIndex + 1,
        total: rows.length,
        amount: `${formatAmount(next.amount, locale)} ${next.currency}`,
        name: next.customerName,
        why: reasonText(t, locale, next),
      }),
    )
  }

  function ask(row: ApprovalRow, question: Question) {
    setPlace({ list, id: row.transactionId, index: rows.findIndex((each) => each.transactionId === row.transactionId) })
    setAsked(question === 'recall' ? { kind: 'recall', row } : { kind: question, items: [row], total: 1 })
  }

  function askByKey(question: 'validated' | 'rejected') {
    if (items.length > 0) return setAsked({ kind: question, items, total: whole?.total ?? items.length })
    if (!current) return
    const allowed = question === 'validated' ? current.canApprove : current.canReject
    if (allowed === true) return ask(current, question)
    toast(t(`approvals.obstacle.${allowed}`))
  }

  function open(row: ApprovalRow | null) {
    if (!row) return
    setPlace({ list, id: row.transactionId, index: rows.indexOf(row) })
    if (matchMedia(WIDE).matches) document.getElementById('approval-panel')?.focus()
    else setIsSheetOpen(true)
  }

  /** Takes what was decided out of the list at once, moves on to the next row and asks the server for the truth. */
  function finish(results: readonly DecisionResult[], decision: 'validated' | 'rejected') {
    const gone = new Set(
      results.filter((result) => result.kind === 'done' || result.reason !== 'content_changed').map((result) => result.transactionId),
    )
    const done = results.filter((result) => result.kind === 'done')
    setAsked(null)
    setIsSheetOpen(false)
    clearSelection()
    queryClient.setQueryData<ApprovalPage>(queryKey, (before) => before && withoutRows(before, gone, queue))
    if (results.length === 1 && done[0])
      toast(
        done[0].status === 'PENDING_APPROVAL'
          ? t('approvals.done.counted', { given: done[0].given, needed: done[0].needed })
          : t(`approvals.done.${decision}`),
      )
    const left = rows.filter((row) => !gone.has(row.transactionId))
    const decidedBefore = rows.slice(0, Math.max(0, index)).filter((row) => gone.has(row.transactionId)).length
    const nextIndex = Math.max(0, Math.min(index - decidedBefore, left.length - 1))
    setPlace({ list, id: left[nextIndex]?.transactionId ?? null, index: nextIndex })
    setFocusTick((tick) => tick + 1)
    void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
    void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
  }

  function finishRecall(row: ApprovalRow) {
    setAsked(null)
    setIsSheetOpen(false)
    toast(t('approvals.recall.done'))
    queryClient.setQueryData<ApprovalPage>(queryKey, (before) => before && withoutRows(before, new Set([row.transactionId]), queue))
    setFocusTick((tick) => tick + 1)
    void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
  }

  useBoardKeys({
    isPaused: asked !== null,
    move,
    open: () => open(current),
    ask: askByKey,
    select: () => {
      if (!canSelect || !current) return
      const isSelected = !selection[current.transactionId]
      const { [current.transactionId]: _, ...others } = selection
      changeSelection(isSelected ? { ...selection, [current.transactionId]: true } : others)
      announce(t(isSelected ? 'approvals.spoken.selected' : 'approvals.spoken.unselected', { name: current.customerName }))
    },
    clear: clearSelection,
  })

  if (!data) return <PageSkeleton label={t('ui.loading')} />
  return (
    <BoardContext value={{ application, ask }}>
      <BoardHead application={application} queue={queue} page={data} />
      {/* On a phone one line that scrolls: what waits is what a checker came for. */}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 max-md:-mx-4 max-md:overflow-x-auto max-md:px-4">
        <ApprovalFilters application={application} query={query} page={data} />
        <KeyHints canDecide={queue === 'mine'} />
      </div>
      <RefreshNotice isFailed={isError} onRetry={() => void refetch()} />
      <div className="grid items-start gap-4 min-[1400px]:grid-cols-[minmax(0,1fr)_332px]">
        {/* The list scrolls sideways where it must, which would cut a ring outside its rows. */}
        <div className="min-w-0 [&_tr:focus-visible]:-outline-offset-2">
          <DataTable
            caption={t(`approvals.queue.${queue}`)}
            columns={queue === 'decided' ? DECIDED_COLUMNS : WAITING_COLUMNS}
            settings={queue === 'decided' ? DECIDED_SETTINGS : WAITING_SETTINGS}
            rows={rows}
            getRowId={rowId}
            {...(canSelect ? { selection: wholeIds ?? selection, onSelectionChange: changeSelection } : {})}
            rowLabel={(row) => `${row.customerName}, ${formatAmount(row.amount, locale)} ${row.currency}`}
            currentRowId={current?.transactionId ?? null}
            onRowOpen={open}
            isRefreshing={isFetching && isPlaceholderData}
            empty={<Nothing application={application} queue={queue} query={query} page={data} />}
          />
          {data.total > APPROVAL_PAGE_SIZE && (
            <PaginationBar
              page={page}
              size={APPROVAL_PAGE_SIZE}
              sizes={[APPROVAL_PAGE_SIZE]}
              total={data.total}
              hrefFor={(next) => paths.approvals(application, { ...query, page: next || null })}
            />
          )}
          {items.length > 0 && (
            <Suspense>
              <BulkBar
                application={application}
                query={query}
                items={items}
                total={data.total}
                isPageSelected={whole === null && selected.length === rows.length}
                onWhole={(snapshot) => setChosen({ filter, ids: selection, whole: snapshot })}
                onAsk={(decision) => setAsked({ kind: decision, items, total: whole?.total ?? items.length })}
                onClear={clearSelection}
              />
            </Suspense>
          )}
        </div>
        {current && (
          <aside
            id="approval-panel"
            tabIndex={-1}
            aria-label={t('approvals.panel.title', { name: current.customerName })}
            // Not longer than what is left below head and filters, so that its buttons are in sight before anybody scrolls.
            className="sticky top-4 hidden max-h-[calc(100dvh-246px)] min-h-80 overflow-y-auto rounded-lg border border-line bg-surface p-4.5 shadow-float min-[1400px]:block"
          >
            <ApprovalPanel key={current.transactionId} row={current} />
          </aside>
        )}
      </div>
      <Suspense>
        {isSheetOpen && current && <ApprovalSheet row={current} onClose={() => setIsSheetOpen(false)} />}
        {asked?.kind === 'recall' && (
          <RecallDialog
            application={application}
            row={asked.row}
            recall={actions.recall}
            onClose={() => setAsked(null)}
            onDone={() => finishRecall(asked.row)}
          />
        )}
        {asked && asked.kind !== 'recall' && (
          <DecisionDialog
            key={asked.kind}
            application={application}
            decision={asked.kind}
            items={asked.items}
            total={asked.total}
            decide={actions.decide}
            onClose={() => setAsked(null)}
            onDone={(results) => finish(results, asked.kind)}
          />
        )}
      </Suspense>
    </BoardContext>
  )
}

function rowId(row: ApprovalRow): string {
  return row.transactionId
}

function withoutRows(page: ApprovalPage, gone: ReadonlySet<string>, queue: ApprovalQueue): ApprovalPage {
  const rows = page.rows.filter((row) => !gone.has(row.transactionId))
  const removed = page.rows.length - rows.length
  const counts = queue === 'decided' ? page.counts : { ...page.counts, [queue]: Math.max(0, page.counts[queue] - removed) }
  return { ...page, rows, counts, total: Math.max(0, page.total - removed) }
}
