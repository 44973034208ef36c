import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type Dispatch, useContext, useEffect, useEffectEvent, useReducer, useRef } from 'react'
import { type DecisionActions, type Intent, reasonText } from '#components/decision/decision-text.tsx'
import { isTyping } from '#components/frame/keyboard.ts'
import { useSteadyRows } from '#components/table/table-state.ts'
import { announce, toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalPage, ApprovalQueue, ApprovalRow, BulkSnapshot } from '#lib/approvals/approvals.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import { queries, queryKeys } from '#lib/pages/queries.ts'
import { moneyText } from '#lib/text/format.ts'
import { type BoardEvent, type BoardState, type BoardView, hasRow, oneRow, reduceBoard, START, viewBoard } from './board-state.ts'

const NONE: readonly ApprovalRow[] = []

/** The rows of one queue and filter. They refresh while somebody works, and new ones never push the shown ones down. */
function useApprovalList(application: string, queue: ApprovalQueue, query: QueryValues) {
  const queryClient = useQueryClient()
  const resource = queries.approvalList(application, query)
  const { data, isError, isFetching, isPlaceholderData, refetch } = useQuery({ ...resource, placeholderData: keepPreviousData })
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
    /** Whether a row is in the list at the moment of the call, not at the last render. */
    has: (row: ApprovalRow) => hasRow(queryClient.getQueryData(resource.queryKey)?.rows ?? NONE, row),
    /** Takes what was decided out of the list at once and asks the server for the truth. */
    remove(gone: ReadonlySet<string>) {
      queryClient.setQueryData(resource.queryKey, (before) => before && withoutRows(before, gone, queue))
      void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
      void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
    },
  }
}

type ApprovalList = ReturnType<typeof useApprovalList>

function withoutRows(page: ApprovalPage, gone: ReadonlySet<string>, queue: ApprovalQueue): ApprovalPage {
  const rows = page.rows.filter((row) => !gone.has(row.transactionId))
  const removed = page.rows.length - rows.length
  const counts = queue === 'decided' ? page.counts : { ...page.counts, [queue]: Math.max(0, page.counts[queue] - removed) }
  return { ...page, rows, counts, total: Math.max(0, page.total - removed) }
}

/** From this width on the panel is beside the list; below it is on top of it. The utility `approval-panel` says the same. */
const WIDE = '(min-width: 1400px)'
/** Below this width the panel covers the list. */
const COVERED = '(max-width: 639px)'

type Ground = { queue: ApprovalQueue; list: ApprovalList; state: BoardState; view: BoardView; dispatch: Dispatch<BoardEvent> }

/** The steps that a person can take on the page: move, open, select, start a decision. Each is one event of the state. */
function useBoardSteps({ queue, list, state, view, dispatch }: Ground) {
  const { t } = useTranslations()
  const sayRow = useSayRow(list.rows)
  const { rows } = list
  const { current, index, hasMoved, isKept, selection, subject } = view
  const indexOf = (row: ApprovalRow) => rows.findIndex((each) => each.transactionId === row.transactionId)
  const placeOf = (row: ApprovalRow) => ({ list: list.list, id: row.transactionId, index: indexOf(row) })

  function ask(intent: Intent, row: ApprovalRow | null) {
    if (row) return dispatch({ type: 'asked', intent, subject: oneRow(row), place: placeOf(row) })
    if (!subject) return
    const obstacle = subject.kind === 'one' && (intent === 'validated' ? subject.row.canApprove : subject.row.canReject)
    if (obstacle !== false && obstacle !== true) return toast(t(`approvals.obstacle.${obstacle}`))
    dispatch({ type: 'asked', intent, subject, place: subject.kind === 'one' && current ? placeOf(current) : null })
  }

  function move(by: 1 | -1, focus: 'row' | 'panel' = 'row') {
    const after = by === 1 && (isKept || !hasMoved) ? index : index + by
    const next = rows[Math.max(0, Math.min(rows.length - 1, after))]
    if (!next) return
    dispatch({ type: 'moved', place: placeOf(next), focus })
    sayRow(next, indexOf(next))
  }

  const select = (ids: Readonly<Record<string, true>>, whole: BulkSnapshot | null = null) =>
    dispatch({ type: 'selected', selection: { filter: list.filter, ids, whole } })

  function toggle() {
    if (queue !== 'mine' || !current) return
    const { [current.transactionId]: isSelected, ...others } = selection.ids
    select(isSelected ? others : { ...selection.ids, [current.transactionId]: true })
    announce(t(isSelected ? 'approvals.spoken.unselected' : 'approvals.spoken.selected', { name: current.customerName }))
  }

  return {
    ask,
    move,
    select,
    toggle,
    open: (row: ApprovalRow | null, focus: 'panel' | 'nothing' = 'panel') =>
      dispatch({ type: 'opened', place: row && placeOf(row), focus: matchMedia(COVERED).matches ? 'panel' : focus }),
    isPanelOver: () => state.isPanelOpen && !matchMedia(WIDE).matches,
    /** Where the focus goes after a decision: not to a row that the panel covers. */
    focusAfter: (): 'row' | 'panel' => (state.isPanelOpen && matchMedia(COVERED).matches ? 'panel' : 'row'),
  }
}

/**
 * Keeps in the panel what somebody is looking at when a colleague decides on it: the panel must not show another payment with a button that
 * sends money. What this person decided or left has changed the place already.
 */
function useKeptRow({ list, state, view, dispatch }: Ground) {
  const seen = useRef<{ list: string; place: BoardState['place']; row: ApprovalRow | null }>(null)
  const { rows } = list
  const { place, held, isPanelOpen, report } = state
  const { current, index, selected } = view
  useEffect(() => {
    const before = seen.current
    seen.current = { list: list.list, place, row: current }
    if (!before?.row || before.list !== list.list || before.place !== place || hasRow(rows, before.row)) return
    const isShown = held === null && report === null && selected.length === 0 && (isPanelOpen || matchMedia(WIDE).matches)
    if (isShown) dispatch({ type: 'kept', row: before.row, place: { list: list.list, id: before.row.transactionId, index } })
  }, [list.list, rows, place, held, report, isPanelOpen, current, index, selected, dispatch])
}

/** Tells screen readers which row is the current one. */
function useSayRow(rows: readonly ApprovalRow[]) {
  const { t, locale } = useTranslations()
  return (row: ApprovalRow, index: number) => {
    const values = { amount: moneyText(row, locale), name: row.customerName, why: reasonText(t, locale, row) }
    announce(t('approvals.spoken.row', { position: index + 1, total: rows.length, ...values }))
  }
}

export type BoardProps = {
  application: string
  queue: ApprovalQueue
  /** The queues that this person has; who cannot decide has none to decide. */
  queues: readonly ApprovalQueue[]
  page: number
  query: QueryValues
  actions: DecisionActions
}

/** The state of the approvals page, what it means for the rows of now, and what a person can do with it by pointer or key. */
export function useBoard({ application, queue, query, actions }: BoardProps) {
  const list = useApprovalList(application, queue, query)
  const [state, dispatch] = useReducer(reduceBoard, START)
  const view = viewBoard(state, list.rows, list.list, list.filter)
  const steps = useBoardSteps({ queue, list, state, view, dispatch })
  useKeptRow({ queue, list, state, view, dispatch })
  return { application, queue, query, actions, list, state, dispatch, ...view, ...steps }
}

export type Board = ReturnType<typeof useBoard>

/** The board around the cells of the table and the parts of the panel. */
export const BoardContext = createContext<Board | null>(null)

export function useBoardContext(): Board {
  const board = useContext(BoardContext)
  if (!board) throw new Error('A part of the approvals is used outside their board')
  return board
}

/** J and K, Enter, V, R, X and Escape, on the list and in the panel; not while somebody types or another layer is open. */
export function useBoardKeys({ move, open, ask, toggle, dispatch, state, current, isPanelOver }: Board): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (isTyping(event) || event.shiftKey || (event.repeat && event.key !== 'j' && event.key !== 'k')) return
    if (document.querySelector('dialog[open], [popover]:popover-open')) return
    // The note is on its way to the screen: what is typed meanwhile is meant for it.
    if (state.focus.on === 'note' && !document.getElementById('field-note')) return
    switch (event.key) {
      case 'j':
        return move(1)
      case 'k':
        return move(-1)
      case 'v':
      case 'r':
        // The key must not land in the field that opens.
        event.preventDefault()
        return ask(event.key === 'v' ? 'validated' : 'rejected', null)
      case 'x':
        return toggle()
      case 'Escape':
        return isPanelOver() ? dispatch({ type: 'closed' }) : dispatch({ type: 'cleared' })
      case 'Enter':
        if (!current || (event.target instanceof Element && event.target.closest('a, button, input, select, summary, aside'))) return
        // Otherwise the same press would also press what the panel focuses.
        event.preventDefault()
        return open(current)
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** Moves the focus where the state wants it: to the current row, to the panel, or to the page when nothing is left. The note focuses itself. */
export function useBoardFocus({ state: { focus, report }, current }: Board): void {
  const granted = useRef(0)
  useEffect(() => {
    if (focus.count === granted.current) return
    granted.current = focus.count
    if (focus.on === 'note' || focus.on === 'nothing') return
    const isPanel = focus.on === 'panel' && (current || report)
    const target = document.getElementById(isPanel ? 'approval-panel' : current ? `row-${current.transactionId}` : 'content')
    if (!target) return
    target.tabIndex = -1
    target.focus({ preventScroll: true })
    if (!isPanel) target.scrollIntoView({ block: 'nearest' })
  }, [focus, current, report])
}
